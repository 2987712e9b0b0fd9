import { offerFile } from '#components/page/offer-file.ts'
import { collected, counted } from './counted.ts'

/** How the file is saved: streamed to disk while it downloads, or collected by the browser first. */
export type SavedHow = 'streamed' | 'collected'

type SaveFilePicker = (options: {
  suggestedName: string
  types: { description: string; accept: Record<string, string[]> }[]
}) => Promise<FileSystemFileHandle>

/**
 * Saves a download that needs a header, which a link can't send. With the File System Access API, the bytes are written
 * straight to the chosen file; other browsers collect the archive until it is complete. Call it from a click.
 * Returns undefined if the person canceled the file dialog. Rejects if `fetchArchive` or reading the response rejects.
 */
export async function saveArchive(
  fetchArchive: () => Promise<Response>,
  name: string,
  onBytes: (received: number) => void,
): Promise<SavedHow | undefined> {
  const picker = savePicker()
  if (picker === undefined) {
    const response = await fetchArchive()
    offerFile(await collected(counted(response, onBytes)), name)
    return 'collected'
  }
  const file = await chooseFile(picker, name)
  if (file === undefined) return undefined
  const response = await fetchArchive()
  // Closes the file when the download is complete, and discards it when the download is interrupted.
  await counted(response, onBytes).pipeTo(await file.createWritable())
  return 'streamed'
}

function savePicker(): SaveFilePicker | undefined {
  return 'showSaveFilePicker' in window && typeof window.showSaveFilePicker === 'function'
    ? (window.showSaveFilePicker.bind(window) as SaveFilePicker)
    : undefined
}

async function chooseFile(picker: SaveFilePicker, suggestedName: string): Promise<FileSystemFileHandle | undefined> {
  try {
    return await picker({
      suggestedName,
      types: [{ description: 'ZIP archive', accept: { 'application/zip': ['.zip'] } }],
    })
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return undefined
    throw error
  }
}
