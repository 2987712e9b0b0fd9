import type { Translation } from '#components/language/text.ts'

export const german: Translation<typeof import('./en.ts')> = {
  seeReleases: 'Releases zu sehen',
  loadingReleasesPolicies: 'Richtlinien des Release werden geladen…',
  theRelease: 'Das Release',
  releaseHasEndedSo: 'Das Release ist beendet, deshalb gelten die jetzigen Richtlinien nicht mehr für es.',
  policiesInForceAre:
    'Es gelten noch die Richtlinien, mit denen das Release vorgeschlagen wurde. Die Argumente oben nennen ihre Versionen.',
  policiesHaveChangedSince:
    'Die Richtlinien haben sich seit dem Vorschlag des Release geändert. Über jeden Aufruf entscheiden die dann geltenden Richtlinien, nicht die, mit denen das Release vorgeschlagen wurde.',
  inForceNow: 'Jetzt wird dort für ihn angewendet: <shown>{policies}</shown>.',
  noneInForceNow: 'Jetzt wird dort keine Richtlinie für ihn angewendet, deshalb können keine Ausführungen starten.',
  versionIn: '{version} in {environment}',
}
