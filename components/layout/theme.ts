'use client'

import { THEME_KEY } from '#lib/theme-script.ts'
import { createPreference } from './preference.ts'

/** The chosen theme; `system` follows the device. */
export type ThemeChoice = 'system' | 'light' | 'dark'

export const THEME_CHOICES: { value: ThemeChoice; label: string }[] = [
  { value: 'system', label: 'Match this device' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
]

const theme = createPreference<ThemeChoice>({
  key: THEME_KEY,
  fallback: 'system',
  isValue: (text): text is ThemeChoice => THEME_CHOICES.some(({ value }) => value === text),
  onChange: show,
})

function show(choice: ThemeChoice): void {
  if (choice === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = choice
}

export const useTheme = theme.use

/** For pages without the shell's script (the development server's). */
export function showStoredTheme(): void {
  show(theme.get())
}
