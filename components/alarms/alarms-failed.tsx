import { RequestFailed } from '#components/session/request-failed.tsx'
import * as t from '#components/texts/alarms/en.ts'

/** Never loaded later than its page: what fails a request for alarms, such as a lost connection, would fail that, too. */
export function AlarmsFailed({ error, retry }: { error: unknown; retry: () => void }) {
  return (
    <RequestFailed error={error} what={t.theAlarms} plural act={t.seeAlarms} permission="audit:read" retry={retry} />
  )
}
