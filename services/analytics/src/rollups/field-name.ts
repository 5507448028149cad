/** Any text as the name of a field that an update can reach: paths and hosts have dots, which MongoDB reads as steps. */
export const fieldName = (text: string): string => {
  if (text === '') return '%';
  return text.replace(/[%.$\0]/g, (character) => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`);
};

/** The text again. */
export const textOf = (field: string): string => {
  if (!field.includes('%')) return field;
  return field === '%' ? '' : field.replace(/%([0-9a-f]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
};
