import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { dockerfile, type Stage, said } from '../../.ci/dockerfile.ts'
import { top } from '../arch/sources.ts'

const manifest = JSON.parse(readFileSync(join(top, 'package.json'), 'utf8'))
const image = dockerfile().at(-1) as Stage

describe('the image', () => {
  const labels = Object.fromEntries(
    [...(said(image, 'LABEL')[0] ?? '').matchAll(/org\.opencontainers\.image\.([\w.]+)="([^"]*)"/g)].map(
      ([, name, value]) => [name, value],
    ),
  )

  test('says what it is, of which version, licence and commit', () => {
    expect(labels).toEqual({
      title: manifest.name,
      description: manifest.description,
      version: manifest.version,
      revision: '$REVISION',
      licenses: manifest.license,
      'base.name': `docker.io/library/${image.base}`,
    })
    expect(said(image, 'ARG')).toEqual(['REVISION=unknown'])
  })

  test('is laid out alike when it is made from the package', () => {
    const layout = ({ instructions }: Stage) =>
      instructions.map(({ name, rest }) => `${name} ${rest.replace('--from=build /app/', '')}`)
    const ofPackage = dockerfile('deploy/image/Dockerfile').at(-1) as Stage
    expect(ofPackage.base).toBe(image.base)
    expect(layout(ofPackage)).toEqual(layout(image))
  })

  test('has the command on its path', () => {
    expect(said(image, 'COPY')).toContain('--from=build /app/bin /usr/local/bin')
  })

  test('starts no Node to see whether the daemon runs', () => {
    const [, command = '[]'] = /CMD (\[.*\])$/.exec(said(image, 'HEALTHCHECK')[0] ?? '') ?? []
    expect(JSON.parse(command)[0]).toBe('bash')
    expect(command).not.toMatch(/node|curl|wget/)
  })
})
