import { effectText, settingNameText } from '#components/settings/setting-words.ts'
import * as t from '#components/texts/settings-tenant/en.ts'
import { Tag } from '#components/ui/status/tag.tsx'
import { dangersOf } from '#lib/rules/settings.ts'
import type { TenantSettings } from '#lib/schemas/tenants.ts'

/** The rules in effect that are less safe than those of a new organisation. Nothing if there are none. */
export function Dangers({ settings }: { settings: TenantSettings }) {
  const dangers = dangersOf(settings)
  if (dangers.length === 0) return null
  return (
    <section
      aria-label={t.lessSafeThanNew}
      className="mb-3 flex flex-col gap-2 border-danger border-l-3 bg-danger-soft px-3 py-2"
    >
      <p className="font-semibold text-danger">{t.ruleIsLessSafe({ dangers: dangers.length })}</p>
      <ul className="flex flex-col gap-2">
        {dangers.map(({ name }) => (
          <li key={name} className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <Tag tone="danger">{settingNameText(name)}</Tag>
            <span>{effectText(name, settings[name])}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
