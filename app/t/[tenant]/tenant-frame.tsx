'use client'

import { useParams } from 'next/navigation'
import type { ReactNode } from 'react'
import { Frame } from '#components/layout/frame.tsx'

/** The frame for the tenant in the address. */
export function TenantFrame({ children }: { children: ReactNode }) {
  const { tenant } = useParams<{ tenant: string }>()
  return <Frame tenant={{ externalId: tenant }}>{children}</Frame>
}
