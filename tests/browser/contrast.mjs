// Whether a page's texts can be read, and the edges of its fields seen.

/** Texts of the page whose contrast with what is behind them is below WCAG 2.2's 4.5 to 1 (1.4.3), and controls whose edge has less than 3 to 1 (1.4.11). */
export function tooFaint() {
  const channels = (color) => color.match(/[\d.]+/g).map(Number);
  const luminance = (color) => {
    const [r, g, b] = channels(color).map((value) => {
      const share = value / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const color = getComputedStyle(e).backgroundColor;
      if ((channels(color)[3] ?? 1) === 1) return color;
    }
    return 'rgb(255, 255, 255)';
  };
  const contrast = (one, other) => {
    const [a, b] = [one, other].map(luminance);
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  };
  const faint = [];
  for (const element of document.querySelectorAll('body *')) {
    if (element.closest('noscript') || element.checkVisibility() === false || element.matches(':disabled')) continue;
    const style = getComputedStyle(element);
    const text = [...element.childNodes].find((node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== '');
    const words = text?.data.trim() ?? (element.matches('input, select, textarea') && element.value);
    const of = contrast(style.color, behind(element));
    if (words && of < 4.5) faint.push(`${of.toFixed(2)}: ${words}`);
    if (element.matches('textarea, select, input:not([type="file"], [type="checkbox"], [type="radio"])')) {
      const edge = contrast(style.borderTopColor, behind(element.parentElement));
      if (edge < 3) faint.push(`${edge.toFixed(2)}: the edge of ${element.id || element.name || element.type}`);
    }
  }
  return faint;
}
