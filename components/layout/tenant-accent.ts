'use client'

import { useEffect } from 'react'
import type { AccentTones } from '#lib/rules/accent.ts'

const PROPERTIES: Record<keyof AccentTones, string> = {
  mark: '--tenant-mark',
  text: '--tenant-text',
  onMark: '--tenant-on-mark',
}

// Loaded while the session begins, which says what the accent is: the page doesn't need the arithmetic of colours to begin.
const rules = typeof window === 'undefined' ? undefined : import('#lib/rules/accent.ts').catch(() => undefined)

/**
 * Applies the tenant's accent while the caller is mounted. Without a valid accent the stripe is neutral.
 * Set through the style object, because the content security policy forbids style attributes in HTML.
 */
export function useTenantAccent(accent: string | undefined): void {
  useEffect(() => {
    if (accent === undefined) return
    const { style } = document.documentElement
    const names: string[] = []
    let isGone = false
    const apply = ({ deriveAccent, parseAccent }: typeof import('#lib/rules/accent.ts')) => {
      const color = parseAccent(accent)
      if (color === undefined || isGone) return
      for (const theme of ['light', 'dark'] as const) {
        const tones = deriveAccent(color, theme)
        for (const [tone, property] of Object.entries(PROPERTIES)) {
          const name = `${property}-${theme}`
          style.setProperty(name, tones[tone as keyof AccentTones])
          names.push(name)
        }
      }
    }
    // Without a connection the stripe stays neutral.
    void rules?.then((loaded) => loaded !== undefined && apply(loaded))
    return () => {
      isGone = true
      for (const name of names) style.removeProperty(name)
    }
  }, [accent])
}
