import type { Translation } from '#components/language/text.ts'

export const german: Translation<typeof import('./en.ts')> = {
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
}
