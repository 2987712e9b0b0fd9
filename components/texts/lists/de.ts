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
  downloadCsv: 'Als CSV herunterladen',
  loadingRows:
    '{list, select, approvals {{count} Anfragen werden geladen…} other {{count} Ausführungen werden geladen…}}',
  fileFailed: 'Die Datei konnte nicht erstellt werden. {problem}',
  fileCut:
    '{list, select, approvals {Die Datei enthält die ersten {most} Anfragen der Liste. Die übrigen fehlen.} other {Die Datei enthält die ersten {most} Ausführungen der Liste. Die übrigen fehlen.}}',
  savedViews: 'Gespeicherte Ansichten',
  shared: '· geteilt',
  sharedBy: '· <shown>{name}</shown>',
  saveView: 'Diese Ansicht speichern…',
  removeView: 'Diese Ansicht entfernen…',
  saveTitle: 'Diese Ansicht speichern',
  saveAbout:
    '{list, select, approvals {Speichert die Filter, die Reihenfolge und die Spalten unter einem Namen.} other {Speichert die Filter und die Reihenfolge unter einem Namen.}} Eine Ihrer Ansichten mit demselben Namen wird ersetzt.',
  save: 'Ansicht speichern',
  saving: 'Ansicht wird gespeichert…',
  giveName: 'Geben Sie einen Namen ein.',
  name: 'Name',
  share:
    '{list, select, approvals {Mit allen teilen, die die Freigaben sehen können} other {Mit allen teilen, die die Ausführungen sehen können}}',
  removeTitle: 'Diese Ansicht entfernen',
  removeAbout:
    '{shared, select, true {Alle, die sie verwenden, verlieren sie. } other {}}{list, select, approvals {An den Freigaben ändert sich nichts.} other {An den Ausführungen ändert sich nichts.}}',
  remove: 'Ansicht entfernen',
  removing: 'Ansicht wird entfernt…',
  next: '{list, select, approvals {Nächste Anfrage} other {Nächste Ausführung}}',
  previous: '{list, select, approvals {Vorige Anfrage} other {Vorige Ausführung}}',
  select: '{list, select, approvals {Anfrage auswählen} other {Ausführung auswählen}}',
  selectTo:
    '{list, select, approvals {Alle bis zu dieser Anfrage auswählen} other {Alle bis zu dieser Ausführung auswählen}}',
  search: '{list, select, approvals {In den Anfragen suchen} other {In den Ausführungen suchen}}',
  clearSelection: 'Auswahl aufheben',
  noneSelected: '{list, select, approvals {Keine Anfrage ist ausgewählt.} other {Keine Ausführung ist ausgewählt.}}',
}
