import { ApiError } from '#lib/errors.ts'
import { splitSettings } from '#lib/rules/settings.ts'
import { TenantSettings, UpdateSettingsInput, UpdateSettingsOutput } from '#lib/schemas/tenants.ts'
import { mutation } from '#server/kernel/operation.ts'
import { lockTenant, setTenant } from '#server/tenants/store.ts'
import { settingsOf } from '#server/tenants/view.ts'
import { settingsPresentation } from './changes/presentation.ts'
import { proposeChange } from './changes/propose.ts'
import { requireProviderSettings } from './provider-settings.ts'

/**
 * tenants.updateSettings: changes that make the tenant safer apply immediately; changes that weaken it are requested.
 */
export const updateSettings = mutation({
  permission: 'tenant:manage',
  input: UpdateSettingsInput,
  output: UpdateSettingsOutput,
  audit: ({ reason, expectedRevision: _, ...wanted }, output) => ({
    action: 'tenant.settings_set',
    resource: { type: 'tenant', id: 'settings' },
    reason,
    details: {
      wanted: Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined)),
      ...(output === undefined
        ? {}
        : { settings: output.settings, revision: output.revision, changeId: output.change?.changeId ?? null }),
    },
  }),
  async run({ tx, tenant, principal, input, note }) {
    const { expectedRevision, reason, ...patch } = input
    const row = await lockTenant(tx, tenant.id)
    if (row.revision !== expectedRevision)
      throw new ApiError(
        'revision_conflict',
        'The settings changed after you opened them. Reload them and try again.',
        {
          details: { revision: row.revision },
        },
      )
    const before = settingsOf(row)
    requireProviderSettings(tenant, principal, before, patch)
    const { immediate, proposed } = splitSettings(before, patch)
    if (immediate.length === 0 && proposed.length === 0)
      throw new ApiError('conflict', 'The settings already have exactly these values.')
    const settings = TenantSettings.parse({
      ...before,
      ...Object.fromEntries(immediate.map(({ name, after }) => [name, after])),
    })
    note({ changes: immediate.map(({ name, before: from, after }) => ({ name, before: from, after })) })
    const revision = immediate.length === 0 ? row.revision : await setTenant(tx, tenant.id, { settings })
    const change =
      proposed.length === 0
        ? null
        : await proposeChange(
            tx,
            { tenant: { ...tenant, settings }, principal },
            {
              kind: 'setting_change',
              subjectId: tenant.id,
              change: { changes: proposed.map(({ name, before: from, after }) => ({ name, before: from, after })) },
              presentation: settingsPresentation(tenant, proposed, reason),
            },
          )
    return { settings, revision, change }
  },
})
