/** A colour in OKLCH: lightness 0…1, chroma 0…0.4, hue in degrees. */
export type Oklch = { l: number; c: number; h: number }

/** A colour in sRGB, each channel 0…1 and gamma encoded, as a screen shows it. */
export type Srgb = { r: number; g: number; b: number }

type Linear = [number, number, number]

/** Björn Ottosson's OKLab matrices (https://bottosson.github.io/posts/oklab/). */
function oklchToLinear({ l, c, h }: Oklch): Linear {
  const radians = (h * Math.PI) / 180
  const a = c * Math.cos(radians)
  const b = c * Math.sin(radians)
  const long = (l + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const medium = (l - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const short = (l - 0.0894841775 * a - 1.291485548 * b) ** 3
  return [
    4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
    -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
    -0.0041960863 * long - 0.7034186147 * medium + 1.707614701 * short,
  ]
}

function encode(linear: number): number {
  const x = Math.min(1, Math.max(0, linear))
  return x <= 0.0031308 ? 12.92 * x : 1.055 * x ** (1 / 2.4) - 0.055
}

function decode(channel: number): number {
  return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4
}

/** True when the colour can be shown in sRGB without clipping (with room for rounding). */
export function inSrgb(color: Oklch): boolean {
  return oklchToLinear(color).every((channel) => channel >= -0.0005 && channel <= 1.0005)
}

/** Out-of-gamut channels are clipped, as a browser would. */
export function oklchToSrgb(color: Oklch): Srgb {
  const [r, g, b] = oklchToLinear(color)
  return { r: encode(r), g: encode(g), b: encode(b) }
}

export function srgbToOklch(color: Srgb): Oklch {
  const [r, g, b] = [decode(color.r), decode(color.g), decode(color.b)]
  const long = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b)
  const medium = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b)
  const short = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b)
  const l = 0.2104542553 * long + 0.793617785 * medium - 0.0040720468 * short
  const a = 1.9779984951 * long - 2.428592205 * medium + 0.4505937099 * short
  const bb = 0.0259040371 * long + 0.7827717662 * medium - 0.808675766 * short
  const h = (Math.atan2(bb, a) * 180) / Math.PI
  return { l, c: Math.hypot(a, bb), h: h < 0 ? h + 360 : h }
}

/** WCAG 2.2 relative luminance, 0…1. */
export function luminance(color: Oklch): number {
  // Rounded to eight bits per channel, because that is what the screen shows.
  const { r, g, b } = oklchToSrgb(color)
  const [lr, lg, lb] = [r, g, b].map((channel) => decode(Math.round(channel * 255) / 255)) as Linear
  return 0.2126 * lr + 0.7152 * lg + 0.0722 * lb
}

/** WCAG 2.2 contrast ratio, 1…21. */
export function contrast(one: Oklch, other: Oklch): number {
  const [a, b] = [luminance(one), luminance(other)]
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
}

/** `oklch(L C H)` with L as a number or percentage, C a number, H in degrees; undefined for anything else. */
export function parseOklch(text: string): Oklch | undefined {
  const match = /^oklch\(\s*(\d*\.?\d+)(%?)\s+(\d*\.?\d+)\s+(\d*\.?\d+)(?:deg)?\s*\)$/.exec(text)
  if (!match) return undefined
  const l = Number(match[1]) / (match[2] === '%' ? 100 : 1)
  const c = Number(match[3])
  const h = Number(match[4])
  return l <= 1 && c <= 0.5 && h <= 360 ? { l, c, h } : undefined
}

/** CSS text with an explicit 0 for every component: with `none`, axe can't judge the contrast. */
export function formatOklch({ l, c, h }: Oklch): string {
  return `oklch(${round(l, 4)} ${round(c, 4)} ${round(h, 2)})`
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits))
}
