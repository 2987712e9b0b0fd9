import { contrast, formatOklch, inSrgb, type Oklch, parseOklch, srgbToOklch } from './color.ts'

export type Theme = 'light' | 'dark'

/**
 * The surface with the least contrast in each theme: the darkest light one and the lightest dark one.
 * A tone with enough contrast there has enough on all surfaces. app/tokens.test.ts compares them with app/tokens.css.
 */
export const HARDEST_SURFACE: Record<Theme, Oklch> = {
  light: { l: 0.93, c: 0.008, h: 205 },
  dark: { l: 0.276, c: 0.013, h: 235 },
}

/** CSS colours of one theme. `mark`: stripes and tiles (≥ 3:1), `text`: letters (≥ 4.5:1), `onMark`: letters on a tile. */
export type AccentTones = { mark: string; text: string; onMark: string }

/** A tenant's accent, strictly `#rrggbb` or `oklch(L C H)`; undefined when it is anything else. */
export function parseAccent(text: string): Oklch | undefined {
  const hex = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(text)
  if (!hex) return parseOklch(text)
  const [r = 0, g = 0, b = 0] = hex.slice(1).map((pair) => Number.parseInt(pair, 16) / 255)
  return srgbToOklch({ r, g, b })
}

/** The tones of `accent` in `theme`: its hue, with the lightness adjusted until the ratios are met. */
export function deriveAccent(accent: Oklch, theme: Theme): AccentTones {
  const mark = tone(accent, theme, 3)
  const text = tone(accent, theme, 4.5)
  const black: Oklch = { l: 0, c: 0, h: 0 }
  const white: Oklch = { l: 1, c: 0, h: 0 }
  // Pure black or white: one of the two always reaches 4.5:1, which a near-black does not.
  const onMark = contrast(mark, white) >= contrast(mark, black) ? white : black
  return { mark: formatOklch(mark), text: formatOklch(text), onMark: formatOklch(onMark) }
}

/** Moves the lightness away from the surface until `ratio` is met, with a small margin for rounding in the CSS text. */
function tone(accent: Oklch, theme: Theme, ratio: number): Oklch {
  const surface = HARDEST_SURFACE[theme]
  const step = theme === 'light' ? -0.01 : 0.01
  let candidate = clampChroma({ ...accent, c: Math.min(accent.c, 0.2) })
  while (contrast(candidate, surface) < ratio + 0.05 && candidate.l !== (theme === 'light' ? 0 : 1)) {
    candidate = clampChroma({ ...candidate, l: Math.min(1, Math.max(0, candidate.l + step)) })
  }
  return candidate
}

/** Lowers the chroma until the colour is in sRGB, so that browser and contrast test see the same colour. */
function clampChroma(color: Oklch): Oklch {
  let fitted = color
  while (!inSrgb(fitted) && fitted.c > 0) fitted = { ...fitted, c: Math.max(0, fitted.c - 0.005) }
  return fitted
}
