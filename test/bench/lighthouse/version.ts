export const lighthouseVersion = '13.5.0';
