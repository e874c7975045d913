import { describe, expect, test } from "bun:test";
import { errorBody } from "../support/acme.ts";
import { dataOf } from "../support/answers.ts";
import { publish } from "../support/catalog.ts";
import { createKey, formatRequest, startTestServer, type TestServer } from "../support/server.ts";
import { useTestStore } from "../support/store.ts";

/** Names of courses, each with what finds it alone. */
const FOUND_BY: Record<string, string[]> = {
  "Cài đặt môi trường": ["Cài đặt môi trường", "cai dat", "CAI ĐAT MOI", "đặt"],
  "Đường ĐI": ["duong di"],
  "हिन्दी में कोर्स": ["हिन्दी", "कोर्स"],
  การเขียนโปรแกรม: ["เขียน"],
  การเขยน: ["เขยน"],
  ガイド: ["ガイ", "ｶﾞｲﾄﾞ"],
  カイド: ["カイ"],
  ﾊﾝｶｸ: ["ハンカク"],
  Straße: [],
  "STRASSE zwei": ["STRAẞE z"],
  "Æsir og Œuvre": ["aesir", "oeuvre", "æsir OG œ"],
  Smørrebrød: ["smorrebrod"],
  Diyarbakır: ["diyarbakir", "DIYARBAKIR"],
  Łódź: ["lodz"],
  İstanbul: ["istanbul"],
  "100% _sure_ * really \\ ok": ["%", "0%", "_", "*", "\\", "\\ ok"],
  "1000 sure": [],
  "Two  spaces\tand\u00a0more": ["two spaces and more", "  TWO \t spaces\n"],
  "  Edges  ": ["edges"],
  "ﬁnal Ⅳ ①": ["final iv 1"],
  "Ελληνικά Μάθημα": ["ελληνικα μαθ"],
  "C++ & C#": ["c++ & c#"],
  "x'; drop table keys; --": ["'; drop"],
};
const NAMES = Object.keys(FOUND_BY);

describe("the name filter", () => {
  let server: TestServer;
  let key: string;
  const database = useTestStore(undefined, async () => {
    const courses = NAMES.map((name, index) => ({ _id: `c${index}`, slug: `s${index}`, name }));
    await publish(database.store, "acme", courses);
    key = await createKey(database.store, "acme");
    server = await startTestServer(database.store);
    return () => server.stop();
  });

  const search = async (query: string): Promise<string[]> => {
    const { total, results } = dataOf(await server.get(`/api/v1/courses?${query}`, { key }));
    expect(results).toHaveLength(total);
    return results.map((course) => course.name).toSorted();
  };

  test.each([
    ...Object.entries(FOUND_BY).flatMap(([name, texts]) => texts.map((text): [string, string[]] => [text, [name]])),
    ["strasse", ["STRASSE zwei", "Straße"]] as [string, string[]],
    ...["100%sure", "1_00", "nothing has this", "a\u0000b"].map((text): [string, string[]] => [text, []]),
  ])("%j finds %j", async (asked, found) => {
    expect(await search(`name=${encodeURIComponent(asked)}`)).toEqual(found);
    expect(await search(`name=${encodeURIComponent(asked.normalize("NFD"))}`)).toEqual(found);
  });

  test.each(["name=", "name=+++", "name=%09%0A%C2%A0", "name=%CC%81", "NAME=smor&q=x&name[]=a&=b&&"])(
    "a blank filter and other parameters (%s) do not filter",
    async (query) => {
      expect(await search(query)).toEqual(NAMES.toSorted());
    },
  );

  test("a plus in the query is a space, %2B is a plus; letters need no percent-encoding", async () => {
    expect(await search("name=two+spaces")).toEqual(["Two  spaces\tand\u00a0more"]);
    expect(await search("name=c%2B%2B")).toEqual(["C++ & C#"]);
    expect(await search("name=c++")).not.toEqual(["C++ & C#"]);
    expect(await search("n%61me=smor")).toEqual(["Smørrebrød"]);
    const { body } = await server.raw(Buffer.from(formatRequest("/api/v1/courses?name=cài", { key })));
    expect(body).toContain('"total":1,"results":[{"_id":"c0"');
  });

  test("a repeated name is 400, even if both are equal or blank; an empty one is ignored", async () => {
    for (const query of ["name=a&name=b", "name=a&name=a", "name=+&name=+", "name=+&x=1&n%61me=a"]) {
      const { status, text } = await server.get(`/api/v1/courses?${query}`, { key });
      expect([status, text]).toEqual([400, errorBody(400, "name must not be repeated")]);
    }
    expect(await search("name=&name&x=1&n%61me=smor")).toEqual(["Smørrebrød"]);
  });
});
