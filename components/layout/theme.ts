'use client'

import { THEME_KEY } from '#lib/theme-script.ts'
import { createPreference } from './preference.ts'

/** The chosen theme; `system` follows the device. */
export type ThemeChoice = 'system' | 'light' | 'dark'

const choices: readonly ThemeChoice[] = ['system', 'light', 'dark']

const theme = createPreference<ThemeChoice>({
  key: THEME_KEY,
  fallback: 'system',
  isValue: (text): text is ThemeChoice => choices.some((choice) => choice === text),
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
