import { effectText } from '#components/settings/setting-words.ts'
import * as t from '#components/texts/settings-tenant/en.ts'
import { providerSettings, type SettingChange } from '#lib/rules/settings.ts'
import type { TenantSettings } from '#lib/schemas/tenants.ts'

/** Lists the effects of the chosen rules, and when each applies. */
export function WhatChanges({ immediate, proposed }: { immediate: SettingChange[]; proposed: SettingChange[] }) {
  return (
    <div role="status" className="flex flex-col gap-2 border-line-strong border-l-3 bg-sunken px-3 py-2">
      <Effects title={t.appliesImmediatelyBecauseIt} changes={immediate} />
      <Effects
        title={t.requiresApprovalOfChange}
        changes={proposed.filter(({ name }) => !providerSettings.includes(name))}
      />
      <Effects title={t.requiresThe} changes={proposed.filter(({ name }) => providerSettings.includes(name))} />
    </div>
  )
}

function Effects({ title, changes }: { title: string; changes: SettingChange[] }) {
  if (changes.length === 0) return null
  return (
    <div>
      <p className="text-ink-2">{title}</p>
      <ul className="list-disc pl-5">
        {changes.map((change) => (
          <li key={change.name}>{effectText(change.name, change.after as TenantSettings[typeof change.name])}</li>
        ))}
      </ul>
    </div>
  )
}
