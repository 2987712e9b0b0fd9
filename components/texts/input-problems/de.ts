import type { Translation } from '#components/language/text.ts'

export const german: Translation<typeof import('./en.ts')> = {
  problem:
    '{rule, select, required {Erforderlich.} type {{expected, select, string {Muss ein Text sein.} number {Muss eine Zahl sein.} integer {Muss eine ganze Zahl sein.} boolean {Muss true oder false sein.} array {Muss eine Liste sein.} other {Muss ein Objekt sein.}}} one_of {Muss einer dieser Werte sein: {expected}.} min_length {Muss mindestens {expected} Zeichen haben.} max_length {Darf höchstens {expected} Zeichen haben.} minimum {Muss mindestens {expected} sein.} maximum {Darf höchstens {expected} sein.} other {{expected, select, date {Muss ein Datum sein, zum Beispiel 2026-11-23.} date_time {Muss ein Zeitpunkt mit Zone sein, zum Beispiel 2026-11-23T09:00:00Z.} email {Muss eine E-Mail-Adresse sein.} uri {Muss eine Adresse sein, zum Beispiel https://example.com.} other {Muss eine Zahl sein, zum Beispiel 59.90.}}}}',
}
