'use client'

import { useApi } from '#components/api/api.tsx'
import { useAct } from '#components/api/use-act.ts'
import { ActFailed } from '#components/forms/act-failed.tsx'
import { type Kept, KeptDraft } from '#components/forms/kept-draft.tsx'
import { RestoredDraft } from '#components/forms/restored-draft.tsx'
import { SelectField } from '#components/forms/select-field.tsx'
import { useStanding } from '#components/forms/use-standing.ts'
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

type BrandingFormProps = { branding: Branding; revision: number }

/** `logo` and `logoMark`: the chosen image as JSON, `null` to remove the stored one, or nothing. */
type BrandingDraft = Record<
  'displayName' | 'accent' | 'logo' | 'logoMark' | 'logoAlt' | 'coBranding' | 'language',
  string
>

const imageOf = (text: string): ChosenImage | null | undefined => (text === '' ? undefined : JSON.parse(text))

/** The form for the branding of the console and the sign-in page, with a preview before it is saved. */
export function BrandingForm({ branding, revision }: BrandingFormProps) {
  const initial: BrandingDraft = {
    displayName: branding.displayName,
    accent: branding.accentColor ?? '',
    logo: '',
    logoMark: '',
    logoAlt: branding.logoAlt,
    coBranding: branding.coBranding,
    language: branding.language ?? BROWSERS,
  }
  // A draft is of the branding that it starts from: it must not undo what someone else has changed since.
  return (
    <KeptDraft form={`branding.${JSON.stringify(branding)}`} initial={initial}>
      {(kept) => <Form branding={branding} revision={revision} kept={kept} />}
    </KeptDraft>
  )
}

function Form({ branding, revision, kept }: BrandingFormProps & { kept: Kept<BrandingDraft> }) {
  const { client } = useApi()
  const { can } = useSession()
  const notice = useNotice()
  const { displayName, accent, logoAlt } = kept.draft
  const [logo, logoMark] = [imageOf(kept.draft.logo), imageOf(kept.draft.logoMark)]
  const coBranding = CO_BRANDING.find(({ value }) => value === kept.draft.coBranding)?.value ?? branding.coBranding
  const language = personalLanguages.find((one) => one === kept.draft.language) ?? null
  const act = useAct({
    send: kept.sending((input: UpdateBrandingInput, options) => client.tenants.updateBranding.mutate(input, options)),
    touches: ['tenants'],
    onDone: () => notice(t.brandingWasSaved),
  })
  const [failure, withdraw] = useStanding(act.failure)
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
  const choose = (field: 'logo' | 'logoMark') => (image: ChosenImage | null | undefined) => {
    act.reset()
    kept.change({ [field]: image === undefined ? '' : JSON.stringify(image) })
  }
  const locked = act.pending || !can('tenant:manage')
  const logoUrl = shownOf(logo, branding.logoUrl)
  const markUrl = shownOf(logoMark, branding.logoMarkUrl)
  const badAccent = accent.trim() !== '' && parseAccent(accent.trim()) === undefined
  return (
    <form noValidate onInput={withdraw} className="flex flex-col gap-5" onSubmit={(event) => event.preventDefault()}>
      <RestoredDraft of={kept} locked={act.pending} />
      <BrandingPreview name={displayName} accent={accent.trim()} logoUrl={markUrl ?? logoUrl} logoAlt={logoAlt} />
      <div className="grid items-start gap-5 narrow:grid-cols-2">
        <TextField
          label={t.displayName}
          value={displayName}
          onChange={(event) => kept.change({ displayName: event.target.value })}
          autoComplete="off"
          readOnly={locked}
        />
        <TextField
          label={t.accentColour}
          hint={t.suchAs0f766eOr}
          error={badAccent ? t.notValidColourUse : undefined}
          value={accent}
          onChange={(event) => kept.change({ accent: event.target.value })}
          autoComplete="off"
          readOnly={locked}
        />
        <ImageField
          kind="logo"
          label={t.logo}
          hint={t.pngOrSvgUp}
          shown={logoUrl}
          onChange={choose('logo')}
          locked={locked}
          refused={refusalOf('logo')}
        />
        <ImageField
          kind="mark"
          label={t.logoMark}
          hint={t.squareImageForTop}
          shown={markUrl}
          onChange={choose('logoMark')}
          locked={locked}
          refused={refusalOf('logoMark')}
        />
        <TextField
          label={t.alternativeTextOfLogo}
          hint={t.screenReadersReadIt}
          value={logoAlt}
          onChange={(event) => kept.change({ logoAlt: event.target.value })}
          autoComplete="off"
          readOnly={locked}
        />
        <SelectField
          label={t.coBrandingOnSign}
          value={coBranding}
          onChange={(value) => {
            if (!locked) kept.change({ coBranding: value })
          }}
          options={CO_BRANDING}
          placeholder={t.chooseOption}
        />
        <SelectField
          label={t.defaultLanguage}
          hint={t.defaultLanguageFor}
          value={language ?? BROWSERS}
          onChange={(value) => {
            if (!locked) kept.change({ language: value })
          }}
          options={LANGUAGES}
          placeholder={t.chooseOption}
        />
      </div>
      {failure !== undefined && <ActFailed failure={failure} />}
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
