/**
 * Script for a page: the lowest contrast ratio of a text to the surface behind it (WCAG 2.2 §1.4.3, with opacity), and
 * the horizontal overflow in pixels.
 */
export const measureReadability = `(() => {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const shown = (...layers) => {
    for (const [color, opacity] of layers) {
      canvas.globalAlpha = opacity;
      canvas.fillStyle = color;
      canvas.fillRect(0, 0, 1, 1);
    }
    return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const luminance = (rgb) => {
    const [r, g, b] = rgb.map((part) => part / 255).map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const page = [getComputedStyle(document.body).backgroundColor, 1];
  const ratios = [...document.querySelectorAll('h1, p, p *, button')].map((element) => {
    const around = [];
    for (let above = element; above !== null; above = above.parentElement) around.unshift(getComputedStyle(above));
    let opacity = 1;
    const surface = around.map((style) => [style.backgroundColor, (opacity *= style.opacity)]);
    const text = [around.at(-1).color, opacity];
    const [light, dark] = [luminance(shown(page, ...surface)), luminance(shown(page, ...surface, text))].sort((a, b) => b - a);
    return (light + 0.05) / (dark + 0.05);
  });
  return { contrast: Math.min(...ratios), overflow: document.documentElement.scrollWidth - innerWidth };
})()`;
