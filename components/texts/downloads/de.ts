import type { Translation } from '#components/language/text.ts'

export const german: Translation<typeof import('./en.ts')> = {
  downloadCsv: 'Als CSV herunterladen',
  loadingRows:
    '{list, select, approvals {{count} Anfragen werden geladen…} other {{count} Ausführungen werden geladen…}}',
  fileFailed: 'Die Datei konnte nicht erstellt werden. {problem}',
  fileCut:
    '{list, select, approvals {Die Datei enthält die ersten {most} Anfragen der Liste. Die übrigen fehlen.} other {Die Datei enthält die ersten {most} Ausführungen der Liste. Die übrigen fehlen.}}',
}
