import { offerFile } from '#components/page/offer-file.ts'
import { collected, counted } from './counted.ts'
import type { From } from './resumed.ts'

/** How the file is saved: streamed to disk while it downloads, or collected by the browser first. */
export type SavedHow = 'streamed' | 'collected'

/** As the file dialog names it: media types and their endings. */
export type FileType = { description: string; accept: Record<string, string[]> }

type SaveFilePicker = (options: { suggestedName: string; types: FileType[] }) => Promise<FileSystemFileHandle>

/**
 * Saves a download that needs a header, which a link can't send. With the File System Access API, the bytes are written
 * straight to the chosen file; other browsers collect it until it is complete. Call it from a click.
 * `continueFrom` asks for the rest of one that breaks off. Returns undefined if the person canceled the file dialog. Rejects if `fetchFile` or reading the response rejects.
 */
export async function saveFile(
  fetchFile: () => Promise<Response>,
  { name, type, continueFrom }: { name: string; type: FileType; continueFrom?: (from: From) => Promise<Response> },
  onBytes: (received: number) => void,
): Promise<SavedHow | undefined> {
  const picker = savePicker()
  if (picker === undefined) {
    const response = await fetchFile()
    offerFile(await collected(counted(response, onBytes, continueFrom), mediaTypeOf(type)), name)
    return 'collected'
  }
  const file = await chooseFile(picker, name, type)
  if (file === undefined) return undefined
  const response = await fetchFile()
  // Closes the file when the download is complete, and discards it when the download is interrupted.
  await counted(response, onBytes, continueFrom).pipeTo(await file.createWritable())
  return 'streamed'
}

const mediaTypeOf = ({ accept }: FileType): string => Object.keys(accept)[0] ?? ''

function savePicker(): SaveFilePicker | undefined {
  return 'showSaveFilePicker' in window && typeof window.showSaveFilePicker === 'function'
    ? (window.showSaveFilePicker.bind(window) as SaveFilePicker)
    : undefined
}

async function chooseFile(
  picker: SaveFilePicker,
  suggestedName: string,
  { description, accept }: FileType,
): Promise<FileSystemFileHandle | undefined> {
  try {
    return await picker({
      suggestedName,
      types: [{ description, accept }],
    })
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return undefined
    throw error
  }
}
