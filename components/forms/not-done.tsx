import { isUnknown } from '#components/api/use-act.ts'
import { adviceFor } from '#components/session/request-failed.tsx'
import { ErrorPanel } from '#components/ui/feedback/error-panel.tsx'
import { lowerFirst } from '#components/ui/text/lower-first.ts'
import type { Failure } from '#lib/failure.ts'

type NotDoneProps = {
  failure: Failure
  /** The beginning of "The export was not started." */
  what: string
  /** Its end: "started". */
  done: string
  /** The next step if the outcome is unknown. */
  ifUnknown: string
  /** The next step after a refusal, unless the kind of failure determines it. */
  advice?: string | undefined
}

/** Why a request had no effect, or that its outcome is unknown. */
export function NotDone({ failure, what, done, ifUnknown, advice }: NotDoneProps) {
  const unknown = isUnknown(failure)
  return (
    <ErrorPanel
      title={unknown ? `It is unknown whether ${lowerFirst(what)} was ${done}.` : `${what} was not ${done}.`}
      effect={unknown ? failure.message : `${failure.message} Nothing was changed.`}
      advice={unknown ? ifUnknown : (advice ?? adviceFor(failure))}
      requestId={failure.requestId}
    />
  )
}
