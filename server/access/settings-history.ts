import { z } from 'zod'
import { isSameValue } from '#lib/rules/settings.ts'
import { SettingsHistory, SettingValue, SettingValues } from '#lib/schemas/tenants.ts'
import { listRecords } from '#server/audit/list-store.ts'
import type { StoredRecord } from '#server/audit/store.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { noInput, query } from '#server/kernel/operation.ts'
import { findMembers } from '#server/tenants/store.ts'

/** Of each kind of change. */
const newest = 50

const Values = z.record(z.string(), SettingValue)
const Common = { at: z.string(), actor: z.object({ id: z.string(), name: z.string() }), reason: z.string().optional() }
/** The change of the person: what was wanted, and what applied immediately. */
const SetRecord = z.object({
  ...Common,
  details: z.object({ wanted: Values, settings: Values.optional(), changes: SettingValues.optional() }),
})
/** What was approved. */
const UpdatedRecord = z.object({
  ...Common,
  details: z.object({ changes: SettingValues, approvalId: z.string(), proposedBy: z.string() }),
})

type Item = z.infer<typeof SettingsHistory>['items'][number]

/** tenants.settingsHistory: who changed which setting, from what to what, and who approved it, by the audit log. */
export const settingsHistory = query({
  permission: 'audit:read',
  input: noInput,
  output: SettingsHistory,
  async run({ tx, tenant }) {
    const of = (action: string) => listRecords(tx, tenant.id, { limit: newest, before: undefined, action })
    const [set, updated] = await Promise.all([of('tenant.settings_set'), of('tenant.settings_updated')])
    const items = [
      ...set.flatMap((row) => setItem(row) ?? []),
      ...(await Promise.all(updated.map((row) => updatedItem(tx, tenant.id, row)))).flatMap((item) => item ?? []),
    ]
    const people = new Map(
      (await findMembers(tx, tenant.id, membersIn(items))).map(({ id, displayName }) => [id, displayName]),
    )
    const named = ({ id, name }: Person): string => people.get(id) ?? name
    return {
      items: items
        .sort((a, b) => (a.at < b.at ? 1 : -1))
        .slice(0, newest)
        .map((item) => ({ ...item, by: named(item.by), approvedBy: item.approvedBy.map(named) })),
    }
  },
})

type Person = { id: string; name: string }
type Found = Omit<Item, 'by' | 'approvedBy'> & { by: Person; approvedBy: Person[] }

const membersIn = (items: readonly Found[]): string[] => [
  ...new Set(items.flatMap(({ by, approvedBy }) => [by.id, ...approvedBy.map(({ id }) => id)])),
]

/** Undefined for a record of proposals alone, which change nothing. */
function setItem({ auditId, record }: StoredRecord): Found | undefined {
  const { data } = SetRecord.safeParse(record)
  if (data === undefined) return undefined
  const { wanted, settings, changes } = data.details
  const applied =
    changes ??
    Object.entries(wanted)
      .filter(([name, value]) => settings !== undefined && isSameValue(settings[name], value))
      .map(([name, after]) => ({ name, after }))
  if (applied.length === 0) return undefined
  return {
    auditId,
    at: data.at,
    by: data.actor,
    approvedBy: [],
    approvalId: null,
    reason: data.reason ?? null,
    changes: applied,
  }
}

async function updatedItem(tx: Transaction, tenantId: string, row: StoredRecord): Promise<Found | undefined> {
  const { data } = UpdatedRecord.safeParse(row.record)
  if (data === undefined) return undefined
  const { changes, approvalId, proposedBy } = data.details
  const page = { limit: newest, before: undefined }
  const votes = await listRecords(tx, tenantId, { ...page, action: 'approval.approve', resourceId: approvalId })
  return {
    auditId: row.auditId,
    at: data.at,
    by: { id: proposedBy, name: 'unknown' },
    approvedBy: votes.flatMap(({ record }) => z.object(Common).safeParse(record).data?.actor ?? []),
    approvalId,
    reason: null,
    changes,
  }
}
