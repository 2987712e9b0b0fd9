import { isUnknown } from '#components/api/use-act.ts'
import { adviceFor } from '#components/session/request-failed.tsx'
import { ErrorPanel } from '#components/ui/feedback/error-panel.tsx'
import type { Failure } from '#lib/failure.ts'

/** Why a text was not stored, or that the outcome is unknown. `what`: "policy", "draft". */
export function NotStored({ what, failure }: { what: string; failure: Failure }) {
  const unknown = isUnknown(failure)
  return (
    <ErrorPanel
      title={unknown ? `It is unknown whether the ${what} was stored.` : `The ${what} was not stored.`}
      effect={unknown ? failure.message : `${failure.message} Nothing was changed.`}
      advice={unknown ? `Store it again: the same text creates at most one ${what}.` : adviceFor(failure)}
      requestId={failure.requestId}
    />
  )
}
