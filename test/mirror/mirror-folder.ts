import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type MirrorContent, MirrorFile } from '../../src/mirror/mirror-file.ts'

export interface MirrorFolder extends AsyncDisposable {
  readonly folder: string
  readonly file: string
}

export async function mirrorFolder(): Promise<MirrorFolder> {
  const folder = await mkdtemp(join(tmpdir(), 'mirror-'))
  return {
    folder,
    file: join(folder, 'mirror.names'),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}

export function loadFrom(file: string): MirrorContent | undefined {
  return new MirrorFile({ file, network: 'devnet' }).load()
}

export function writeTo(file: string, content: MirrorContent): Promise<void> {
  return new MirrorFile({ file, network: 'devnet' }).write(content)
}
