import * as t from '#components/texts/agent-changes/en.ts'
import { type Status, StatusShape } from '#components/ui/status/status-shape.tsx'
import type { Answers } from '#lib/trpc.ts'

type AgentStatus = Answers['agents']['get']['status']
/** Releases and bindings are changes with the same states. */
type ChangeStatus = Answers['releases']['list']['items'][number]['status']

const AGENTS: Record<AgentStatus, { status: Status; label: string }> = {
  registered: { status: 'pending', label: t.registered },
  active: { status: 'approved', label: t.active },
  suspended: { status: 'revoked', label: t.suspended },
  retired: { status: 'expired', label: t.retired },
}

const CHANGES: Record<ChangeStatus, { status: Status; label: string }> = {
  proposed: { status: 'waiting', label: t.proposed },
  active: { status: 'approved', label: t.active },
  superseded: { status: 'expired', label: t.superseded },
  revoked: { status: 'revoked', label: t.revoked },
  rejected: { status: 'rejected', label: t.rejected },
  withdrawn: { status: 'revoked', label: t.withdrawn },
}

export function AgentStatusShape({ status, boxed = false }: { status: AgentStatus; boxed?: boolean }) {
  return <StatusShape {...AGENTS[status]} boxed={boxed} />
}

/** The state of a release or a binding. */
export function ChangeStatusShape({ status }: { status: ChangeStatus }) {
  return <StatusShape {...CHANGES[status]} />
}
