import { z } from 'zod'
import type { JsonObject } from '#lib/json.ts'
import { type AuditEntry, type MutationContext, mutation } from '#server/kernel/operation.ts'
import { scimOnly } from '../door.ts'
import { changedSince, uniqueness } from '../protocol/errors.ts'
import { Patching, Replacing, type Target } from '../protocol/inputs.ts'
import { applyPatch } from '../protocol/patch.ts'
import { Resource } from '../protocol/resource-schema.ts'
import { isKnownVersion } from '../protocol/version.ts'
import { groupSchema } from '../schemas/group.ts'
import { membersOf, readGroup, requireGroup } from './read.ts'
import { requireRecordedName } from './recorded-name.ts'
import { attributesOfGroup, groupOf, versionOfGroup } from './resource.ts'
import { membersChanged, moveMembers, requireOthers, requirePeople } from './set-members.ts'
import { findGroupNamed, lockGroup, setGroup } from './store.ts'

const Output = z.object({ resource: Resource, details: z.record(z.string(), z.json()).optional() })

/** The record of a change; none if the provider sent what is known already. */
function recordOf({ id }: Target, output: z.infer<typeof Output> | undefined): AuditEntry | undefined {
  const record = {
    action: 'provider_group.updated',
    resource: { type: 'provider_group', id },
    reason: 'Changed by SCIM.',
  }
  if (output === undefined) return record
  return output.details === undefined ? undefined : { ...record, details: output.details }
}

/** Changes a group to what `decide` makes of its writable attributes. */
async function changeGroup(
  { tx, tenant, principal }: Pick<MutationContext<unknown>, 'tx' | 'tenant' | 'principal'>,
  { id, ifMatch }: Target,
  decide: (before: JsonObject) => JsonObject,
): Promise<z.infer<typeof Output>> {
  const row = await requireGroup(tx, tenant, id, lockGroup)
  if (!isKnownVersion(ifMatch, versionOfGroup(row))) throw changedSince()
  await requireRecordedName(tx, tenant, row)
  const memberIds = (await membersOf(tx, tenant, [id])).get(id) ?? []
  const attributes = attributesOfGroup(row, memberIds)
  const after = groupOf(decide(attributes))
  const known = new Set(memberIds)
  await requirePeople(
    tx,
    tenant,
    after.memberIds.filter((memberId) => !known.has(memberId)),
  )
  const joining = after.name === row.name ? after.memberIds.filter((memberId) => !known.has(memberId)) : after.memberIds
  await requireOthers(tx, { tenant, principal }, after.name, joining)
  if (after.name !== row.name && (await findGroupNamed(tx, tenant.id, after.name)) !== undefined)
    throw uniqueness('displayName: Another group has this name.')
  const moved = await moveMembers(tx, tenant.id, { name: row.name, memberIds }, after)
  const unchanged = after.name === row.name && after.externalId === row.externalId
  if (unchanged && moved.joined.length + moved.left.length === 0) return { resource: await readGroup(tx, tenant, id) }
  await setGroup(tx, tenant.id, id, { name: after.name, externalId: after.externalId })
  return {
    resource: await readGroup(tx, tenant, id),
    details: { name: after.name, before: row.name, externalId: after.externalId, ...membersChanged(moved) },
  }
}

/** Replaces what the provider says of a group. */
export const replaceGroup = mutation({
  ...scimOnly,
  input: Replacing,
  output: Output,
  audit: (input, output) => recordOf(input, output),
  run: (context) => changeGroup(context, context.input, () => context.input.resource),
})

/** Changes parts of what the provider says of a group, most often its members. */
export const patchGroup = mutation({
  ...scimOnly,
  input: Patching,
  output: Output,
  audit: (input, output) => recordOf(input, output),
  run: (context) =>
    changeGroup(context, context.input, (before) =>
      applyPatch(
        { id: context.input.id, schema: groupSchema, unstored: [], extensions: [] },
        before,
        context.input.operations,
      ),
    ),
})
