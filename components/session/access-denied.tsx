'use client'

import Link from 'next/link'
import { useEffect, useState } from 'react'
import { Page } from '#components/layout/page.tsx'
import * as t from '#components/texts/denied/en.ts'
import { homePath, signInPath } from '#lib/paths.ts'
import { ownTenant } from './own-tenant.ts'
import type { Identity } from './session.ts'

type AccessDeniedProps = { tenant: string; identity: Identity; lost: string | undefined }

/** Stays on the address and explains it: an address of another tenant must never silently lead to the person's own. */
export function AccessDenied({ tenant, identity, lost }: AccessDeniedProps) {
  const [own, setOwn] = useState<string>()
  useEffect(() => {
    // Without a response only the second link is shown.
    ownTenant().then(setOwn, () => setOwn(undefined))
  }, [])
  return (
    <Page>
      {lost === undefined ? (
        <>
          <h1>{t.denied}</h1>
          <p className="max-w-[75ch]">
            {t.deniedAbout({
              name: identity.name,
              organisation: identity.organisation,
              tenant,
              strong: (content) => <strong>{content}</strong>,
              code: (content) => <code className="font-mono text-dense">{content}</code>,
            })}
          </p>
        </>
      ) : (
        <div role="alert" className="flex flex-col gap-4">
          <h1>{t.lost({ organisation: lost })}</h1>
          <p className="max-w-[75ch]">{t.lostAbout({ organisation: lost })}</p>
        </div>
      )}
      <ul className="flex flex-col gap-2">
        {own !== undefined && (
          <li>
            <Link href={homePath(own)} className="text-link">
              {t.goToOwn}
            </Link>
          </li>
        )}
        <li>
          <Link href={signInPath()} className="text-link">
            {t.signInToOther}
          </Link>
        </li>
      </ul>
    </Page>
  )
}
