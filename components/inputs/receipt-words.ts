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
    receipt.status === 'received' ? { status: 'pending', label: 'Not yet' } : { status: 'revoked', label: 'Never' }
  return {
    admission: { status: 'approved', label: 'Accepted', at: admission.at },
    match: matchWords(receipt),
    delivery: delivery === null ? without : { ...deliveryWords(delivery.status), at: delivery.at },
    application: application === null ? without : { ...applicationWords(application.status), at: application.at },
  }
}

function matchWords({ status, match, admission }: Receipt): StateWords {
  switch (status) {
    case 'received':
      return { status: 'pending', label: 'No matching wait yet', keptUntil: admission.expiresAt }
    case 'accepted':
      return {
        status: 'approved',
        label: 'Matched',
        ...(match === null ? {} : { note: `With the wait of step ${match.stepId}`, at: match.at }),
      }
    case 'unmatched_expired':
      return { status: 'expired', label: 'Expired', note: 'No wait matched it before it expired' }
    case 'wait_terminal':
      return { status: 'rejected', label: 'Too late', note: 'Its wait was already closed' }
  }
}

/** Returns the delivery state of an answer to the execution, or of a mail to a person. */
export function deliveryWords(status: Delivery): StateWords {
  switch (status) {
    case 'pending':
      return { status: 'pending', label: 'Pending' }
    case 'in_flight':
      return { status: 'running', label: 'Being delivered' }
    case 'delivered':
      return { status: 'approved', label: 'Delivered' }
    case 'failed':
      return { status: 'failed', label: 'Failed' }
    case 'unknown':
      return {
        status: 'failed',
        label: 'Outcome unknown',
        note: 'It may have arrived; it is not sent again automatically',
      }
  }
}

export function applicationWords(status: Application): StateWords {
  switch (status) {
    case 'not_applied':
      return { status: 'pending', label: 'Not applied yet' }
    case 'applied':
      return { status: 'approved', label: 'Applied' }
    case 'rejected':
      return { status: 'rejected', label: 'Not applied', note: 'The execution ended before it could apply the input' }
  }
}
