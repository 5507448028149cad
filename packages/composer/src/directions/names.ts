export const directionNames = [
  'editorial',
  'swiss',
  'craft',
  'poster',
  'quiet',
  'technical',
  'playful',
  'night',
  'clear',
  'botanical',
] as const;
export type DirectionName = (typeof directionNames)[number];
