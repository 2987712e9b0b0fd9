import { otlpAttributes, otlpNanos, otlpValue } from '#server/kernel/observe/otlp-json.ts'
import { fitted } from './fit.ts'
import type { SentRecord } from './sink.ts'

/** ExportLogsServiceRequest in the JSON of OTLP: a log record for each audit record, whose body is the record. */
export const otlpLogs = (records: readonly SentRecord[]): string =>
  JSON.stringify({
    resourceLogs: [
      {
        resource: { attributes: otlpAttributes({ 'service.name': 'countersign' }) },
        scopeLogs: [{ scope: { name: 'countersign.audit' }, logRecords: records.map(logRecord) }],
      },
    ],
  })

function logRecord(sent: SentRecord) {
  // The limit counts the record, not what OTLP's JSON writes around each of its values.
  const { record, cut } = fitted(
    sent.record,
    (record, cut) => ({ record, cut }),
    (form) => Buffer.byteLength(JSON.stringify(form.record)),
  )
  return {
    timeUnixNano: otlpNanos(sent.createdAt.getTime()),
    observedTimeUnixNano: otlpNanos(sent.createdAt.getTime()),
    severityNumber: 9,
    severityText: 'INFO',
    eventName: sent.action,
    body: otlpValue(record),
    attributes: otlpAttributes({
      'countersign.tenant': sent.tenant,
      'countersign.audit.id': sent.auditId,
      'countersign.audit.date': sent.date,
      'countersign.audit.seq': sent.seq,
      'countersign.audit.digest': sent.digest,
      ...(cut && { 'countersign.audit.dropped': [...cut.dropped], 'countersign.audit.bytes': cut.bytes }),
    }),
  }
}
