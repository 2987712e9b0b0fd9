import type { Translation } from '#components/language/text.ts'

export const german: Translation<typeof import('./en.ts')> = {
  filter: '{set, plural, =0 {Filter} other {Filter, # gesetzt}}',
  moreFilters: '{set, plural, =0 {Weitere Filter} other {Weitere Filter, # gesetzt}}',
  showAll: 'Alle zeigen',
  from: 'Von (UTC)',
  to: 'Bis (UTC)',
  loading: 'Wird geladen…',
  showOlder: 'Ältere Einträge zeigen',
  showNewer: 'Neuere Einträge zeigen',
  loadingOlder: 'Ältere Einträge werden geladen…',
  loadingNewer: 'Neuere Einträge werden geladen…',
  next: '{list, select, approvals {Nächste Anfrage} other {Nächste Ausführung}}',
  previous: '{list, select, approvals {Vorige Anfrage} other {Vorige Ausführung}}',
  select: '{list, select, approvals {Anfrage auswählen} other {Ausführung auswählen}}',
  selectTo:
    '{list, select, approvals {Alle bis zu dieser Anfrage auswählen} other {Alle bis zu dieser Ausführung auswählen}}',
  search: '{list, select, approvals {In den Anfragen suchen} other {In den Ausführungen suchen}}',
  clearSelection: 'Auswahl aufheben',
  noneSelected: '{list, select, approvals {Keine Anfrage ist ausgewählt.} other {Keine Ausführung ist ausgewählt.}}',
}
