import { notFound } from '#lib/errors.ts'
import type { JsonObject } from '#lib/json.ts'
import { Id } from '#lib/schemas/common.ts'
import type { Tenant } from '#server/kernel/auth/principal.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { findGroupsOfPeople } from '../groups/store.ts'
import { providerOf } from '../provider.ts'
import { findChangesHere } from './changed-here.ts'
import { userResource } from './resource.ts'
import { findPerson, type PersonRow } from './store.ts'

/** A person of the tenant's provider. Throws 404, also for members of Countersign’s own realm. */
export async function requirePerson(tx: Transaction, tenant: Tenant, id: string): Promise<PersonRow> {
  const row = Id.safeParse(id).success ? await findPerson(tx, tenant.id, providerOf(tenant), id) : undefined
  if (row === undefined) throw notFound()
  return row
}

export async function readUser(tx: Transaction, tenant: Tenant, id: string): Promise<JsonObject> {
  const row = await requirePerson(tx, tenant, id)
  const groups = await findGroupsOfPeople(tx, tenant.id, [row.id])
  const changes = await findChangesHere(tx, tenant.id, [row.id])
  return userResource(row, { groups, changedHere: changes.get(row.id) })
}
