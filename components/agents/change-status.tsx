import { type Status, StatusShape } from '#components/ui/status/status-shape.tsx'
import type { Answers } from '#lib/trpc.ts'

type AgentStatus = Answers['agents']['get']['status']
/** Releases and bindings are changes with the same states. */
type ChangeStatus = Answers['releases']['list']['items'][number]['status']

const AGENTS: Record<AgentStatus, { status: Status; label: string }> = {
  registered: { status: 'pending', label: 'Registered' },
  active: { status: 'approved', label: 'Active' },
  suspended: { status: 'revoked', label: 'Suspended' },
  retired: { status: 'expired', label: 'Retired' },
}

const CHANGES: Record<ChangeStatus, { status: Status; label: string }> = {
  proposed: { status: 'waiting', label: 'Proposed' },
  active: { status: 'approved', label: 'Active' },
  superseded: { status: 'expired', label: 'Superseded' },
  revoked: { status: 'revoked', label: 'Revoked' },
  rejected: { status: 'rejected', label: 'Rejected' },
  withdrawn: { status: 'revoked', label: 'Withdrawn' },
}

export function AgentStatusShape({ status, boxed = false }: { status: AgentStatus; boxed?: boolean }) {
  return <StatusShape {...AGENTS[status]} boxed={boxed} />
}

/** The state of a release or a binding. */
export function ChangeStatusShape({ status }: { status: ChangeStatus }) {
  return <StatusShape {...CHANGES[status]} />
}
