import { permissionText } from '#components/access/permission-texts.ts'
import * as t from '#components/texts/access-keys/en.ts'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { grantOfScope } from '#lib/rules/api-key-scopes.ts'

/** Lists each scope of a key with the permission that it grants. Most scopes have no effect, and the list shows that. */
export function Granted({ scopes }: { scopes: readonly string[] }) {
  if (scopes.length === 0) return <span>{t.noScopesThisKey}</span>
  return (
    <ul className="flex flex-col gap-0.5">
      {scopes.map((scope) => (
        <li key={scope} className="wrap-anywhere">
          <code className="font-mono text-dense">
            <ShownText>{scope}</ShownText>
          </code>{' '}
          <GrantOf scope={scope} />
        </li>
      ))}
    </ul>
  )
}

function GrantOf({ scope }: { scope: string }) {
  const permission = grantOfScope(scope)
  if (permission === undefined) return <span className="text-warn">{t.hasNoEffect}</span>
  return (
    <span className="text-ink-2">
      {t.grants({
        permission,
        what: permissionText[permission],
        code: (content) => <code className="font-mono text-dense">{content}</code>,
      })}
    </span>
  )
}
