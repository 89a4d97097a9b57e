export const dynamic = 'force-dynamic';

export default async function Page() {
  await new Promise((done) => setTimeout(done, 1));
  return <h1>How deep may a ship lie?</h1>;
}
