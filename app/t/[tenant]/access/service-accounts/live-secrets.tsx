import { Time } from '#components/ui/text/time.tsx'
import type { ServiceAccount } from '#lib/schemas/service-accounts.ts'

/** The secrets with which an account can sign in now, oldest first, and when each ends. */
export function LiveSecrets({ secrets }: { secrets: ServiceAccount['secrets'] }) {
  if (secrets.length === 0) return <span>None works</span>
  return (
    <ul className="flex flex-col gap-0.5">
      {secrets.map((secret) => (
        <li key={secret.id}>
          Made <Time at={secret.createdAt} show="relative" />,{' '}
          {secret.notAfter === null ? (
            'no end'
          ) : (
            <>
              ends <Time at={secret.notAfter} show="relative" />
            </>
          )}
        </li>
      ))}
    </ul>
  )
}
