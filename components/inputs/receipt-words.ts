import * as t from '#components/texts/inputs/en.ts'
import type { Status } from '#components/ui/status/status-shape.tsx'
import type { InputResolution, Receipt } from '#lib/schemas/inputs.ts'

/** A state in words. `note` adds details; `at` is when it was reached, `keptUntil` when it ends at the latest. */
export type StateWords = { status: Status; label: string; note?: string; at?: string | null; keptUntil?: string }

type Delivery = InputResolution['delivery']
type Application = InputResolution['application']

/** Returns the four states of an input event: accepted, matched with a wait, delivered to it, applied by the execution. */
export function receiptWords(receipt: Receipt): Record<'admission' | 'match' | 'delivery' | 'application', StateWords> {
  const { admission, delivery, application } = receipt
  // Without a wait, an event can't be delivered yet, or never can be.
  const without: StateWords =
    receipt.status === 'received' ? { status: 'pending', label: t.notYet } : { status: 'revoked', label: t.never }
  return {
    admission: { status: 'approved', label: t.accepted, at: admission.at },
    match: matchWords(receipt),
    delivery: delivery === null ? without : { ...deliveryWords(delivery.status), at: delivery.at },
    application: application === null ? without : { ...applicationWords(application.status), at: application.at },
  }
}

function matchWords({ status, match, admission }: Receipt): StateWords {
  switch (status) {
    case 'received':
      return { status: 'pending', label: t.noMatchingWaitYet, keptUntil: admission.expiresAt }
    case 'accepted':
      return {
        status: 'approved',
        label: t.matched,
        ...(match === null ? {} : { note: t.withWaitOfStep({ stepId: match.stepId }), at: match.at }),
      }
    case 'unmatched_expired':
      return { status: 'expired', label: t.expired, note: t.noWaitMatchedIt }
    case 'wait_terminal':
      return { status: 'rejected', label: t.tooLate, note: t.itsWaitWasAlready }
  }
}

/** Returns the delivery state of an answer to the execution, or of a mail to a person. */
export function deliveryWords(status: Delivery): StateWords {
  switch (status) {
    case 'pending':
      return { status: 'pending', label: t.pending }
    case 'in_flight':
      return { status: 'running', label: t.beingDelivered }
    case 'delivered':
      return { status: 'approved', label: t.delivered }
    case 'failed':
      return { status: 'failed', label: t.failed }
    case 'unknown':
      return {
        status: 'failed',
        label: t.outcomeUnknown,
        note: t.itMayHaveArrived,
      }
  }
}

export function applicationWords(status: Application): StateWords {
  switch (status) {
    case 'not_applied':
      return { status: 'pending', label: t.notAppliedYet }
    case 'applied':
      return { status: 'approved', label: t.applied }
    case 'rejected':
      return { status: 'rejected', label: t.notApplied, note: t.executionEndedBeforeIt }
  }
}
