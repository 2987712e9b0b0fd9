import type { Translation } from '#components/language/text.ts'

export const german: Translation<typeof import('./en.ts')> = {
  relatedObjects: 'Verbundene Objekte',
  auditRecords: 'Einträge im Protokoll',
  seeAuditLog: 'das Protokoll zu sehen',
  evidenceExport: 'Export von Nachweisen',
  evidenceExportContainsExecutions:
    'Ein Export von Nachweisen enthält die Ausführungen, Entscheidungen, Traces und Protokolleinträge eines Zeitraums mit ihren Beweisen, in einem Archiv, das ohne diesen Server geprüft werden kann. Diese Ausführung wurde <at>Zeit</at> angefordert; wählen Sie einen Zeitraum mit diesem Tag.',
  exportEvidence: 'Nachweise exportieren',
  execution: 'Ausführung',
  executionId: 'ID der Ausführung',
  release: 'Release',
  releaseId: 'ID des Release',
  trace: 'Trace',
  approvalOf: 'Freigabe von {title}',
  auditRecordsAboutExecution: 'Einträge im Protokoll zur Ausführung',
  theAudit: 'Die Einträge im Protokoll',
  noAuditRecordsWere: 'Keine Einträge im Protokoll gefunden.',
  everyChangeOfExecution:
    'Jede Änderung einer Ausführung wird in derselben Transaktion protokolliert, deshalb sollte diese Liste nicht leer sein. Wenden Sie sich an den Support.',
  what: 'Was',
  reason: 'Grund',
  when: 'Wann',
  seeTraces: 'Traces zu sehen',
  waitingForExecutionTo: 'Der Start der Ausführung wird abgewartet…',
  waitingForTraceTo: 'Der Beginn des Traces wird abgewartet…',
  theTrace: 'Der Trace',
  openTraceOnIts: 'Trace auf eigener Seite öffnen',
  compareWithAnotherRun: 'Mit einem anderen Lauf vergleichen',
}
