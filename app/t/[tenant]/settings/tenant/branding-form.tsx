'use client'

import { useState } from 'react'
import { useApi } from '#components/api/api.tsx'
import { useAct } from '#components/api/use-act.ts'
import { ActFailed } from '#components/forms/act-failed.tsx'
import { SelectField } from '#components/forms/select-field.tsx'
import { ActionButton } from '#components/navigation/action-button.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/settings-tenant/en.ts'
import { TextField } from '#components/ui/controls/text-field.tsx'
import { useNotice } from '#components/ui/feedback/live-notice.tsx'
import { languageNames, personalLanguages } from '#lib/languages.ts'
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
  const [language, setLanguage] = useState(branding.language)
  const act = useAct({
    send: client.tenants.updateBranding.mutate,
    touches: ['tenants'],
    onDone: () => notice(t.brandingWasSaved),
  })
  const patch: Patch = {
    ...(displayName.trim() === branding.displayName ? {} : { displayName: displayName.trim() }),
    ...(accent.trim() === (branding.accentColor ?? '') ? {} : { accentColor: accent.trim() || null }),
    ...(logo === undefined ? {} : { logo }),
    ...(logoMark === undefined ? {} : { logoMark }),
    ...(logoAlt.trim() === branding.logoAlt ? {} : { logoAlt: logoAlt.trim() }),
    ...(coBranding === branding.coBranding ? {} : { coBranding }),
    ...(language === branding.language ? {} : { language }),
  }
  const refusalOf = (field: 'logo' | 'logoMark') => act.failure?.issues.find(({ path }) => path === field)?.message
  // A refusal is of the images that were sent.
  const choose = (set: (image: ChosenImage | null | undefined) => void) => (image: ChosenImage | null | undefined) => {
    act.reset()
    set(image)
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
          label={t.displayName}
          value={displayName}
          onChange={(event) => setDisplayName(event.target.value)}
          autoComplete="off"
          readOnly={locked}
        />
        <TextField
          label={t.accentColour}
          hint={t.suchAs0f766eOr}
          error={badAccent ? t.notValidColourUse : undefined}
          value={accent}
          onChange={(event) => setAccent(event.target.value)}
          autoComplete="off"
          readOnly={locked}
        />
        <ImageField
          kind="logo"
          label={t.logo}
          hint={t.pngOrSvgUp}
          shown={logoUrl}
          onChange={choose(setLogo)}
          locked={locked}
          refused={refusalOf('logo')}
        />
        <ImageField
          kind="mark"
          label={t.logoMark}
          hint={t.squareImageForTop}
          shown={markUrl}
          onChange={choose(setLogoMark)}
          locked={locked}
          refused={refusalOf('logoMark')}
        />
        <TextField
          label={t.alternativeTextOfLogo}
          hint={t.screenReadersReadIt}
          value={logoAlt}
          onChange={(event) => setLogoAlt(event.target.value)}
          autoComplete="off"
          readOnly={locked}
        />
        <SelectField
          label={t.coBrandingOnSign}
          value={coBranding}
          onChange={(value) => {
            const found = CO_BRANDING.find((option) => option.value === value)
            if (found !== undefined && !locked) setCoBranding(found.value)
          }}
          options={CO_BRANDING}
          placeholder={t.chooseOption}
        />
        <SelectField
          label={t.defaultLanguage}
          hint={t.defaultLanguageFor}
          value={language ?? BROWSERS}
          onChange={(value) => {
            if (!locked) setLanguage(personalLanguages.find((one) => one === value) ?? null)
          }}
          options={LANGUAGES}
          placeholder={t.chooseOption}
        />
      </div>
      {act.failure !== undefined && <ActFailed failure={act.failure} />}
      <div>
        <ActionButton
          permission="tenant:manage"
          variant="primary"
          busyLabel={act.pending ? t.savingBranding : undefined}
          disabledReason={whyNot(patch, badAccent)}
          onClick={() => act.run({ expectedRevision: revision, ...patch })}
        >
          {t.saveBranding}
        </ActionButton>
      </div>
    </form>
  )
}

const BROWSERS = 'browsers'
const LANGUAGES: { value: string; label: string }[] = [
  { value: BROWSERS, label: t.asBrowsersAsk },
  ...personalLanguages.map((value) => ({ value, label: languageNames[value] })),
]

const CO_BRANDING: { value: Branding['coBranding']; label: string }[] = [
  { value: 'none', label: t.onlyThisOrganisation },
  { value: 'powered_by', label: t.poweredByCountersign },
  { value: 'dual', label: t.thisOrganisationAndCountersign },
]

const shownOf = (chosen: ChosenImage | null | undefined, stored: string | null): string | null =>
  chosen === undefined ? stored : chosen === null ? null : dataUrl(chosen)

function whyNot(patch: Patch, badAccent: boolean): string | undefined {
  if (Object.keys(patch).length === 0) return t.youHaventChangedAnything
  if (patch.displayName === '' || patch.logoAlt === '') return t.enterDisplayNameAnd
  if (badAccent) return t.correctColourFirst
}
