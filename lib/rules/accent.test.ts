import { describe, expect, test } from 'vitest'
import { deriveAccent, HARDEST_SURFACE, parseAccent, type Theme } from './accent.ts'
import { contrast, type Oklch, parseOklch } from './color.ts'

const THEMES: Theme[] = ['light', 'dark']

function parsed(css: string): Oklch {
  const color = parseOklch(css)
  if (!color) throw new Error(`not an OKLCH colour: ${css}`)
  return color
}

/** 4,096 fixed colours spread over the whole cube, with every corner and edge. */
function* cube() {
  const steps = Array.from({ length: 16 }, (_, index) => index * 17)
  for (const r of steps) for (const g of steps) for (const b of steps) yield [r, g, b] as const
}

describe('parseAccent', () => {
  test.each(['#0a7068', '#FFFFFF', 'oklch(0.5 0.1 180)', 'oklch(50% 0.1 180deg)'])('accepts %s', (text) => {
    expect(parseAccent(text)).toBeDefined()
  })

  test.each([
    '',
    '#fff',
    '#0a70681f',
    'red',
    'rgb(1,2,3)',
    'oklch(none 0 0)',
    'oklch(1.2 0 0)',
    'oklch(0.5 0.1 400)',
    '#0a7068;background:url(//x)',
    'var(--ink)',
    ' #0a7068',
  ])('rejects %j', (text) => {
    expect(parseAccent(text)).toBeUndefined()
  })

  test('converts a known colour to its published OKLCH values', () => {
    const red = parseAccent('#ff0000')
    expect(red?.l).toBeCloseTo(0.628, 3)
    expect(red?.c).toBeCloseTo(0.2577, 3)
    expect(red?.h).toBeCloseTo(29.23, 1)
  })
})

describe('deriveAccent', () => {
  test.each(THEMES)('meets the contrast ratios for every colour in the %s theme', (theme) => {
    const failures: string[] = []
    for (const [r, g, b] of cube()) {
      const hex = `#${[r, g, b].map((channel) => channel.toString(16).padStart(2, '0')).join('')}`
      const accent = parseAccent(hex)
      if (!accent) throw new Error(hex)
      const tones = deriveAccent(accent, theme)
      const surface = HARDEST_SURFACE[theme]
      if (contrast(parsed(tones.mark), surface) < 3) failures.push(`${hex} mark ${tones.mark}`)
      if (contrast(parsed(tones.text), surface) < 4.5) failures.push(`${hex} text ${tones.text}`)
      if (contrast(parsed(tones.onMark), parsed(tones.mark)) < 4.5) failures.push(`${hex} onMark ${tones.mark}`)
    }
    expect(failures).toEqual([])
  })

  test('keeps the hue of a colour that is already legible', () => {
    const accent = parsed('oklch(0.45 0.08 190)')
    expect(parsed(deriveAccent(accent, 'light').mark).h).toBeCloseTo(190, 0)
    expect(parsed(deriveAccent(accent, 'dark').mark).h).toBeCloseTo(190, 0)
  })
})
