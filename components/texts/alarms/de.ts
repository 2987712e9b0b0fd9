import type { Translation } from '#components/language/text.ts'

export const german: Translation<typeof import('./en.ts')> = {
  foundAt:
    'Gefunden <at>Zeit</at>{many, select, true {, {times} Mal insgesamt, zuletzt <last>Zeit</last>} other {}}{inLog, select, true {} other {. Der Eintrag dazu fehlt im Protokoll}}',
  stopChangesToDatabase: 'Halten Sie Änderungen an der Datenbank an, und bewahren Sie eine Kopie von ihr auf.',
  auditLogOfDiffers: 'Das Protokoll von {subject} weicht von dem ab, was signiert wurde.',
  compareDayWithEarlier: '{keepACopy} Vergleichen Sie den Tag mit einem früheren Archiv oder mit einem Zeugen.',
  logOfClosedDays: 'Das Protokoll abgeschlossener Tage weicht von dem ab, was signiert wurde.',
  compareClosedDaysWith:
    '{keepACopy} Vergleichen Sie die abgeschlossenen Tage mit einem früheren Archiv oder mit einem Zeugen.',
  storedRowDiffersFrom: 'Eine gespeicherte Zeile weicht vom Protokoll ab.',
  restoreRowFromBackup:
    'Stellen Sie die Zeile aus einer Sicherung wieder her, oder finden Sie heraus, wer sie in der Datenbank geändert hat.',
  recordOfCouldNot: 'Ein Eintrag von {subject} konnte nicht bestätigt werden.',
  compareRecordWithEarlier: '{keepACopy} Vergleichen Sie den Eintrag mit einem früheren Archiv.',
  exportWasStoppedAudit: 'Ein Export wurde angehalten: Das Protokoll von {subject} passt nicht zu seiner Signatur.',
  noArchiveWasCreated:
    'Es wurde kein Archiv erstellt. Klären Sie zuerst den Alarm zu diesem Tag, und exportieren Sie dann erneut.',
  exportWasStoppedWhat: 'Ein Export wurde angehalten: Was er gelesen hat, passt nicht zum signierten Protokoll.',
  noArchiveWasPublished:
    'Es wurde kein Archiv veröffentlicht. Beheben Sie zuerst die Ursache, und exportieren Sie dann erneut.',
  databaseAndSignersOwn: 'Das eigene Gedächtnis des Signierers fehlt, ist beschädigt oder älter als die Datenbank.',
  nothingIsSignedUntil:
    'Nichts wird signiert, bis der Betreiber das Gedächtnis wiederherstellt oder den Stand der Datenbank anerkennt.',
  auditLogIsNot: 'Das Protokoll wird nicht signiert.',
  freeSpaceOnDisk:
    'Schaffen Sie Platz auf der Platte mit dem Gedächtnis des Signierers, oder machen Sie seinen Speicher erreichbar. Das Signieren geht dann von selbst weiter.',
  endProcessesOfOlder:
    'Beenden Sie Prozesse einer älteren Version und Verbindungen zur Datenbank unter dem Namen einer Rolle des Dienstes.',
  closeWithReason: 'Mit Grund schließen',
  closingAlarm: 'Alarm wird geschlossen…',
  keepItOpen: 'Offen lassen',
  closeThisAlarm: 'Diesen Alarm schließen?',
  closingItChangesNothing:
    '{title} Das Schließen ändert nichts am Protokoll. Wird die Abweichung erneut gefunden, entsteht ein neuer Alarm.',
  whatWasFoundAnd:
    'Was gefunden wurde, und warum der Alarm geschlossen werden kann. {justificationHint} Wird im Protokoll gespeichert.',
  alarmIsClosed: 'Der Alarm ist geschlossen.',
  alarmWasNotClosed: 'Der Alarm wurde nicht geschlossen.',
  allAlarms: 'Alle Alarme',
  theAlarms: 'Die Alarme',
  seeAlarms: 'Alarme zu sehen',
  openItsRecord: 'Eintrag öffnen',
  oneOpenAlarm: '1 offener Alarm',
  openAlarms: '{many, select, true {99+} other {{count}}} offene Alarme',
  alarmWasRaised: 'Ein Alarm ist offen.',
  alarmsCantBeRead: 'Die Alarme konnten nicht geladen werden.',
  showAlarms: 'Zeigen',
  alarms: 'Alarme',
  audit: 'Protokoll',
  alarmIsRaisedWhen:
    'Ein Alarm entsteht, wenn gespeicherte Nachweise nicht zum signierten Protokoll passen. Er bleibt offen, bis eine Person ihn mit einem Grund schließt. Zeilen in der Datenbank zu löschen schließt ihn nicht.',
  open: 'Offen',
  closed: 'Geschlossen',
  loadingAlarms: 'Alarme werden geladen…',
  noOpenAlarms: 'Keine offenen Alarme.',
  logIsReadAgain:
    'Das Protokoll wird mindestens einmal am Tag erneut gelesen. Auch eine Prüfung oder ein Export, der eine Abweichung findet, löst einen Alarm aus.',
  closedAlarms: 'Geschlossene Alarme',
  theClosed: 'Die geschlossenen Alarme',
  noClosedAlarms: 'Keine geschlossenen Alarme.',
  closedAlarmsAreListed: 'Geschlossene Alarme stehen hier, jeder mit seinem Grund.',
  what: 'Was',
  found: 'Gefunden',
  times: 'Anzahl',
  closedBecause: 'Grund des Schließens',
  closedBy: 'Geschlossen von',
  alarmSaysWhatToDo:
    'Bis das geklärt ist, kann es nicht geladen oder geändert werden. Der Alarm dazu sagt, was zu tun ist.',
  tellSomeone:
    'Bis das geklärt ist, kann es nicht geladen oder geändert werden. Sagen Sie es einer Person mit passender Rolle ({people}): Ein Alarm sagt, was zu tun ist.',
  openTheAlarms: 'Alarme ansehen',
  noApprovalsToShow: 'Hier können keine Freigaben gezeigt werden.',
  askWhatIsMissing:
    'Ein Alarm ist offen. Wenn gespeicherte Daten außerhalb des Servers geändert wurden, können hier Freigaben fehlen. Sagen Sie es einer Person mit passender Rolle ({people}): Der Alarm sagt, was abweicht und was zu tun ist.',
  someMayBeMissing:
    'Ein Alarm ist offen. Wenn gespeicherte Daten außerhalb des Servers geändert wurden, können hier Freigaben fehlen. Der Alarm sagt, was abweicht und was zu tun ist.',
}
