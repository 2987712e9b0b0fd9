import { providerSettings, type SettingChange } from '#lib/rules/settings.ts'

/** Lists the effects of the chosen rules, and when each applies. */
export function WhatChanges({ immediate, proposed }: { immediate: SettingChange[]; proposed: SettingChange[] }) {
  return (
    <div role="status" className="flex flex-col gap-2 border-line-strong border-l-3 bg-sunken px-3 py-2">
      <Effects title="Applies immediately, because it isn’t weaker:" changes={immediate} />
      <Effects
        title="Requires the approval of a change approver other than you, because it is weaker:"
        changes={proposed.filter(({ name }) => !providerSettings.includes(name))}
      />
      <Effects
        title="Requires the approval of a change approver other than you, because tokens decide what it gives to whom:"
        changes={proposed.filter(({ name }) => providerSettings.includes(name))}
      />
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
          <li key={change.name}>{change.effect}</li>
        ))}
      </ul>
    </div>
  )
}
