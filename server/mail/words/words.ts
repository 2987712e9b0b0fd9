import type { PersonalLanguage } from '#lib/languages.ts'
import { english } from './english.ts'
import { german } from './german.ts'
import type { MailWords } from './types.ts'

export const mailWords: Readonly<Record<PersonalLanguage, MailWords>> = { en: english, de: german }

const times = {
  en: new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'long', timeZone: 'UTC' }),
  de: new Intl.DateTimeFormat('de', { dateStyle: 'long', timeStyle: 'long', timeZone: 'UTC' }),
}

/** "30 November 2026 at 09:31:00 UTC", "30. November 2026 um 09:31:00 UTC". */
export const mailTime = (language: PersonalLanguage, time: Date): string => times[language].format(time)
