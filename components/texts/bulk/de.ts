import type { Translation } from '#components/language/text.ts'

export const german: Translation<typeof import('./en.ts')> = {
  close: 'Schließen',
  recording: 'Wird gespeichert…',
  refused: 'Nicht angenommen: {why}',
  unknown: 'Ergebnis unbekannt: {why}',
  someRefused:
    '{list, select, approvals {{count, plural, one {# Anfrage} other {# Anfragen}} nicht angenommen.} other {{count, plural, one {# Ausführung} other {# Ausführungen}} nicht angenommen.}}',
  someUnknown:
    '{list, select, approvals {Das Ergebnis von {count, plural, one {# Anfrage} other {# Anfragen}} ist unbekannt: Öffnen Sie jede, um zu sehen, ob es gespeichert wurde.} other {Das Ergebnis von {count, plural, one {# Ausführung} other {# Ausführungen}} ist unbekannt: Öffnen Sie jede, um zu sehen, ob es gespeichert wurde.}}',
}
