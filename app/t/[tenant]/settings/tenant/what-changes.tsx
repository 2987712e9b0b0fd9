import type { SettingChange } from '#lib/rules/settings.ts'

/** What the chosen rules mean, and when each begins. */
export function WhatChanges({ atOnce, ask }: { atOnce: SettingChange[]; ask: SettingChange[] }) {
  return (
    <div role="status" className="flex flex-col gap-2 border-line-strong border-l-3 bg-sunken px-3 py-2">
      <Effects title="Applies at once, because it is as safe or safer:" changes={atOnce} />
      <Effects
        title="Waits until a change approver who is not you has approved it, because it is weaker:"
        changes={ask}
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
