import { isUnknown } from '#components/api/use-act.ts'
import { failureText } from '#components/session/failure-text.ts'
import { adviceFor } from '#components/session/request-failed.tsx'
import * as t from '#components/texts/forms/en.ts'
import { ErrorPanel } from '#components/ui/feedback/error-panel.tsx'
import type { Failure } from '#lib/failure.ts'

type NotDoneProps = {
  failure: Failure
  /** After a refusal: "The export was not started." */
  title: string
  /** The next step if the outcome is unknown. */
  ifUnknown: string
  /** The next step after a refusal, unless the kind of failure determines it. */
  advice?: string | undefined
}

/** Why a request had no effect, or that its outcome is unknown. */
export function NotDone({ failure, title, ifUnknown, advice }: NotDoneProps) {
  const unknown = isUnknown(failure)
  const problem = failureText(failure)
  return (
    <ErrorPanel
      title={unknown ? t.unknownDone : title}
      effect={unknown ? problem : t.nothingChanged({ problem })}
      advice={unknown ? ifUnknown : (advice ?? adviceFor(failure))}
      requestId={failure.requestId}
    />
  )
}
