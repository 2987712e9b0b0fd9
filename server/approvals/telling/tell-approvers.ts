import type { CallingProgram } from '#lib/schemas/approvals/program.ts'
import type { Presentation } from '#lib/schemas/approvals.ts'
import type { Tenant } from '#server/kernel/auth/principal.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { mailApprovers } from '#server/mail/approval-request.ts'
import type { Asker, Occasion } from '#server/mail/words/types.ts'
import { actorsById } from '#server/tenants/actors.ts'
import type { Identity } from '#server/tenants/identities.ts'
import { type StandIn, standInsOf } from '../delegations/stand-ins.ts'
import { programsOf } from '../program/program.ts'

type Told = {
  id: string
  kind: string
  executionId: string | null
  requestedBy: string
  presentation: Presentation
  expiresAt: Date
  identities: readonly Identity[]
  requestedAt?: Date
  /** Delegates can't decide it. */
  inPerson?: boolean
}

/** Notifies the people among the eligible `members` of a request, and their delegates. */
export async function tellApprovers(
  tx: Transaction,
  tenant: Tenant,
  { id, presentation, expiresAt, inPerson = false, ...request }: Told,
  members: readonly { id: string; kind: string; email: string | null }[],
  occasion: Occasion = 'requested',
): Promise<void> {
  const people = members.filter((member) => member.kind === 'person')
  const ids = people.map((person) => person.id)
  const standIns = inPerson ? [] : await standInsOf(tx, tenant, ids, request)
  await mailApprovers(tx, tenant, {
    approvalId: id,
    title: presentation.title,
    agentName: presentation.agent?.displayName,
    requester: await requesterOf(tx, tenant, { ...request, presentation }),
    environment: presentation.environment,
    risk: presentation.risk,
    expiresAt,
    occasion,
    people: [...people.map((person) => ({ id: person.id, email: person.email })), ...oncePerPerson(standIns)],
  })
}

/** A delegate of two members gets one mail. */
const oncePerPerson = (standIns: readonly StandIn[]): StandIn[] =>
  standIns.filter(({ id }, index) => standIns.findIndex((other) => other.id === id) === index)

async function requesterOf(
  tx: Transaction,
  tenant: Tenant,
  request: Pick<Told, 'kind' | 'executionId' | 'requestedBy' | 'presentation'>,
) {
  const [actor, programOf] = await Promise.all([
    actorsById(tx, tenant.id, [request.requestedBy]),
    programsOf(tx, tenant.id, [request]),
  ])
  const program = programOf(request)
  return { name: actor(request.requestedBy).displayName, program: program && askerOf(program) }
}

const askerOf = ({ kind, name, id }: CallingProgram): Asker => ({
  kind: kind === 'client' && name !== null ? 'named' : kind,
  name: name ?? id ?? '',
})
