'use client'

import { useLayoutEffect } from 'react'
import { type AccentTones, deriveAccent, parseAccent } from '#lib/rules/accent.ts'

const PROPERTIES: Record<keyof AccentTones, string> = {
  mark: '--tenant-mark',
  text: '--tenant-text',
  onMark: '--tenant-on-mark',
}

/**
 * Applies the tenant's accent while the caller is mounted. Without a valid accent the stripe is neutral.
 * Set through the style object, because the content security policy forbids style attributes in HTML.
 */
export function useTenantAccent(accent: string | undefined): void {
  useLayoutEffect(() => {
    const color = accent === undefined ? undefined : parseAccent(accent)
    if (!color) return
    const { style } = document.documentElement
    const names: string[] = []
    for (const theme of ['light', 'dark'] as const) {
      const tones = deriveAccent(color, theme)
      for (const [tone, property] of Object.entries(PROPERTIES)) {
        const name = `${property}-${theme}`
        style.setProperty(name, tones[tone as keyof AccentTones])
        names.push(name)
      }
    }
    return () => {
      for (const name of names) style.removeProperty(name)
    }
  }, [accent])
}
