import { GetSettingsOutput, SettingValues } from '#lib/schemas/tenants.ts'
import { externalIssuersOf } from '#server/kernel/auth/issuers/issuer.ts'
import { noInput, query } from '#server/kernel/operation.ts'
import { findTenantRevision } from '#server/tenants/store.ts'
import { settingsOf } from '#server/tenants/view.ts'
import { findProposed } from './changes/store.ts'

/** The tenant's settings with the pending change to them. Effective values are in session.me, for every member. */
export const getSettings = query({
  permission: 'tenant:manage',
  input: noInput,
  output: GetSettingsOutput,
  async run({ tx, tenant }) {
    const [waiting] = await findProposed(tx, tenant.id, 'setting_change', [tenant.id])
    return {
      settings: settingsOf(tenant),
      revision: await findTenantRevision(tx, tenant.id),
      pending:
        waiting === undefined
          ? null
          : { approvalId: waiting.approvalId, changes: SettingValues.parse(waiting.change.changes) },
      issuers: externalIssuersOf(tenant),
    }
  },
})
