'use client'

import { useState } from 'react'

type TenantMarkProps = {
  /** Undefined while unknown: an initial made of the address would differ between prerendered HTML and browser. */
  name: string | undefined
  logoUrl: string | undefined
}

/** The tenant's logo in a fixed box, or its initial on the accent when there is none or it can't be shown. */
export function TenantMark({ name, logoUrl }: TenantMarkProps) {
  const [broken, setBroken] = useState<string>()
  if (logoUrl !== undefined && logoUrl !== broken) {
    return (
      // biome-ignore lint/performance/noImgElement: there is no image optimiser, on purpose.
      <img
        src={logoUrl}
        // The name stands beside it.
        alt=""
        width={24}
        height={24}
        onError={() => setBroken(logoUrl)}
        className="size-6 shrink-0 object-contain"
      />
    )
  }
  return (
    <span
      aria-hidden="true"
      className="inline-grid size-6 shrink-0 place-items-center bg-accent-mark font-semibold text-dense text-on-accent"
    >
      {name?.match(/\p{L}|\p{N}/u)?.[0].toUpperCase()}
    </span>
  )
}
