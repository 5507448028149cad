/** Font stacks of systems, best first. The last names are those of Linux desktops. */
export const fonts = {
  oldStyle: "'Iowan Old Style', 'Palatino Linotype', 'URW Palladio L', P052, Palatino, 'Noto Serif', 'DejaVu Serif', serif",
  transitional: "Charter, 'Bitstream Charter', 'Sitka Text', Cambria, Georgia, 'DejaVu Serif', serif",
  didone: "Didot, 'Bodoni MT', 'Noto Serif Display', 'URW Palladio L', P052, Sylfaen, 'DejaVu Serif', serif",
  slab: "Rockwell, 'Rockwell Nova', 'Roboto Slab', 'DejaVu Serif', 'Sitka Small', serif",
  grotesque: "'Helvetica Neue', Inter, Roboto, 'Arial Nova', 'Nimbus Sans', Arial, 'DejaVu Sans', sans-serif",
  humanist: "Seravek, 'Gill Sans Nova', Ubuntu, Calibri, 'Open Sans', 'DejaVu Sans', source-sans-pro, sans-serif",
  classical: "Optima, Candara, 'Noto Sans', source-sans-pro, 'DejaVu Sans', sans-serif",
  rounded: "ui-rounded, 'Hiragino Maru Gothic ProN', Quicksand, Comfortaa, 'Arial Rounded MT Bold', Calibri, 'DejaVu Sans', sans-serif",
  condensed: "'Avenir Next Condensed', Bahnschrift, 'Arial Narrow', 'Roboto Condensed', 'DejaVu Sans Condensed', sans-serif",
  mono: "ui-monospace, 'Cascadia Code', 'Source Code Pro', Menlo, Consolas, 'DejaVu Sans Mono', monospace",
  system: "Inter, 'Segoe UI', Roboto, 'Helvetica Neue', 'Noto Sans', 'DejaVu Sans', system-ui, sans-serif",
} as const;

/** The stacks that a user asks for by name: of headings and of text. */
export const chosenFonts = {
  serif: [fonts.oldStyle, fonts.transitional],
  sans: [fonts.grotesque, fonts.system],
  mono: [fonts.mono, fonts.system],
  rounded: [fonts.rounded, fonts.rounded],
  condensed: [fonts.condensed, fonts.system],
} as const;
