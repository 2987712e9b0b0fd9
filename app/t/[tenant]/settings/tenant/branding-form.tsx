'use client'

import { useState } from 'react'
import { useApi } from '#components/api/api.tsx'
import { useAct } from '#components/api/use-act.ts'
import { ActFailed } from '#components/forms/act-failed.tsx'
import { SelectField } from '#components/forms/select-field.tsx'
import { ActionButton } from '#components/navigation/action-button.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import { TextField } from '#components/ui/controls/text-field.tsx'
import { useNotice } from '#components/ui/feedback/live-notice.tsx'
import { parseAccent } from '#lib/rules/accent.ts'
import type { Branding, UpdateBrandingInput } from '#lib/schemas/tenants.ts'
import { BrandingPreview } from './branding-preview.tsx'
import { type ChosenImage, dataUrl } from './chosen-image.ts'
import { ImageField } from './image-field.tsx'

type Patch = Omit<UpdateBrandingInput, 'expectedRevision'>

/** The form for the branding of the console and the sign-in page, with a preview before it is saved. */
export function BrandingForm({ branding, revision }: { branding: Branding; revision: number }) {
  const { client } = useApi()
  const { can } = useSession()
  const notice = useNotice()
  const [displayName, setDisplayName] = useState(branding.displayName)
  const [accent, setAccent] = useState(branding.accentColor ?? '')
  const [logo, setLogo] = useState<ChosenImage | null>()
  const [logoMark, setLogoMark] = useState<ChosenImage | null>()
  const [logoAlt, setLogoAlt] = useState(branding.logoAlt)
  const [coBranding, setCoBranding] = useState(branding.coBranding)
  const act = useAct({
    send: client.tenants.updateBranding.mutate,
    touches: ['tenants'],
    onDone: () => notice('The branding was saved.'),
  })
  const patch: Patch = {
    ...(displayName.trim() === branding.displayName ? {} : { displayName: displayName.trim() }),
    ...(accent.trim() === (branding.accentColor ?? '') ? {} : { accentColor: accent.trim() || null }),
    ...(logo === undefined ? {} : { logo }),
    ...(logoMark === undefined ? {} : { logoMark }),
    ...(logoAlt.trim() === branding.logoAlt ? {} : { logoAlt: logoAlt.trim() }),
    ...(coBranding === branding.coBranding ? {} : { coBranding }),
  }
  const locked = act.pending || !can('tenant:manage')
  const logoUrl = shownOf(logo, branding.logoUrl)
  const markUrl = shownOf(logoMark, branding.logoMarkUrl)
  const badAccent = accent.trim() !== '' && parseAccent(accent.trim()) === undefined
  return (
    <form noValidate className="flex flex-col gap-5" onSubmit={(event) => event.preventDefault()}>
      <BrandingPreview name={displayName} accent={accent.trim()} logoUrl={markUrl ?? logoUrl} logoAlt={logoAlt} />
      <div className="grid items-start gap-5 narrow:grid-cols-2">
        <TextField
          label="Display name"
          value={displayName}
          onChange={(event) => setDisplayName(event.target.value)}
          autoComplete="off"
          readOnly={locked}
        />
        <TextField
          label="Accent colour"
          hint="Such as #0f766e or oklch(0.5 0.1 180). Leave it empty for the default."
          error={badAccent ? 'Not a valid colour. Use #rrggbb, rgb() or oklch().' : undefined}
          value={accent}
          onChange={(event) => setAccent(event.target.value)}
          autoComplete="off"
          readOnly={locked}
        />
        <ImageField
          label="Logo"
          hint="PNG or SVG, up to 256 KiB. Shown on the sign-in page, and in the top bar if no logo mark is set."
          shown={logoUrl}
          onChange={setLogo}
          locked={locked}
        />
        <ImageField
          label="Logo mark"
          hint="A square image for the top bar. PNG or SVG, up to 256 KiB."
          shown={markUrl}
          onChange={setLogoMark}
          locked={locked}
        />
        <TextField
          label="Alternative text of the logo"
          hint="Screen readers read it instead of the image."
          value={logoAlt}
          onChange={(event) => setLogoAlt(event.target.value)}
          autoComplete="off"
          readOnly={locked}
        />
        <SelectField
          label="Co-branding on the sign-in page"
          value={coBranding}
          onChange={(value) => {
            const found = CO_BRANDING.find((option) => option.value === value)
            if (found !== undefined && !locked) setCoBranding(found.value)
          }}
          options={CO_BRANDING}
          placeholder="Choose an option"
        />
      </div>
      {act.failure !== undefined && <ActFailed failure={act.failure} />}
      <div>
        <ActionButton
          permission="tenant:manage"
          variant="primary"
          busyLabel={act.pending ? 'Saving the branding…' : undefined}
          disabledReason={whyNot(patch, badAccent)}
          onClick={() => act.run({ expectedRevision: revision, ...patch })}
        >
          Save the branding
        </ActionButton>
      </div>
    </form>
  )
}

const CO_BRANDING: { value: Branding['coBranding']; label: string }[] = [
  { value: 'none', label: 'Only this organisation' },
  { value: 'powered_by', label: 'Powered by Countersign' },
  { value: 'dual', label: 'This organisation and Countersign' },
]

const shownOf = (chosen: ChosenImage | null | undefined, stored: string | null): string | null =>
  chosen === undefined ? stored : chosen === null ? null : dataUrl(chosen)

function whyNot(patch: Patch, badAccent: boolean): string | undefined {
  if (Object.keys(patch).length === 0) return 'You haven’t changed anything yet.'
  if (patch.displayName === '' || patch.logoAlt === '')
    return 'Enter a display name and the alternative text of the logo.'
  if (badAccent) return 'Correct the colour first.'
}
