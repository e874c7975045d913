import { describe, expect, test } from "bun:test";
import { errorBody } from "../support/acme.ts";
import { publish } from "../support/catalog.ts";
import { createKey, startTestServer, type TestServer } from "../support/server.ts";
import { anyEngine, useTestStore } from "../support/store.ts";

const NAMES = [
  "Cài đặt môi trường",
  "Đường ĐI",
  "हिन्दी में कोर्स",
  "हनद",
  "การเขียนโปรแกรม",
  "การเขยน",
  "ガイド",
  "カイド",
  "ﾊﾝｶｸ",
  "Straße",
  "STRASSE zwei",
  "Æsir og Œuvre",
  "Smørrebrød",
  "Łódź",
  "Diyarbakır",
  "İstanbul",
  "100% _sure_ * really \\ ok",
  "1000 sure",
  "Two  spaces\tand\u00a0more",
  "  Edges  ",
  "ﬁnal Ⅳ ①",
  "Ελληνικά Μάθημα",
  "Йод и ёлка",
  "C++ & C#",
  "x'; drop table keys; --",
  "ミ\u3099",
];

describe("the name filter", () => {
  let server: TestServer;
  let key: string;
  const database = useTestStore(anyEngine, async () => {
    const courses = NAMES.map((name, index) => ({
      _id: `c${index}`,
      slug: `s${index}`,
      name,
      createdAt: "2025-01-01",
    }));
    await publish(database.store, "acme", courses);
    key = await createKey(database.store, "acme");
    server = await startTestServer(database.store);
    return () => server.stop();
  });

  const search = async (query: string): Promise<string[]> => {
    const { status, text } = await server.get(`/api/v1/courses?${query}`, { key });
    if (status !== 200) throw new Error(`${status}: ${text}`);
    const { total, results } = (JSON.parse(text) as { data: { total: number; results: { name: string }[] } }).data;
    expect(results).toHaveLength(total);
    return results.map((course) => course.name).toSorted();
  };

  test.each<[asked: string, found: string[]]>([
    ["Cài đặt môi trường", ["Cài đặt môi trường"]],
    ["cai dat", ["Cài đặt môi trường"]],
    ["CAI ĐAT MOI", ["Cài đặt môi trường"]],
    ["đặt", ["Cài đặt môi trường"]],
    ["duong di", ["Đường ĐI"]],
    ["हिन्दी", ["हिन्दी में कोर्स"]],
    ["हनद", ["हनद"]],
    ["कोर्स", ["हिन्दी में कोर्स"]],
    ["เขียน", ["การเขียนโปรแกรม"]],
    ["เขยน", ["การเขยน"]],
    ["ガイ", ["ガイド"]],
    ["カイ", ["カイド"]],
    ["ｶﾞｲﾄﾞ", ["ガイド"]],
    ["ハンカク", ["ﾊﾝｶｸ"]],
    ["ミ\u3099", ["ミ\u3099"]],
    ["strasse", ["STRASSE zwei", "Straße"]],
    ["STRAẞE", ["STRASSE zwei", "Straße"]],
    ["aesir", ["Æsir og Œuvre"]],
    ["oeuvre", ["Æsir og Œuvre"]],
    ["æsir OG œ", ["Æsir og Œuvre"]],
    ["smorrebrod", ["Smørrebrød"]],
    ["lodz", ["Łódź"]],
    ["diyarbakir", ["Diyarbakır"]],
    ["DIYARBAKIR", ["Diyarbakır"]],
    ["istanbul", ["İstanbul"]],
    ["%", ["100% _sure_ * really \\ ok"]],
    ["0%", ["100% _sure_ * really \\ ok"]],
    ["100%sure", []],
    ["_", ["100% _sure_ * really \\ ok"]],
    ["1_00", []],
    ["*", ["100% _sure_ * really \\ ok"]],
    ["\\", ["100% _sure_ * really \\ ok"]],
    ["\\ ok", ["100% _sure_ * really \\ ok"]],
    ["two spaces and more", ["Two  spaces\tand\u00a0more"]],
    ["  TWO \t spaces\n", ["Two  spaces\tand\u00a0more"]],
    ["edges", ["  Edges  "]],
    ["final iv 1", ["ﬁnal Ⅳ ①"]],
    ["ελληνικα μαθ", ["Ελληνικά Μάθημα"]],
    ["иод и елка", ["Йод и ёлка"]],
    ["c++ & c#", ["C++ & C#"]],
    ["'; drop", ["x'; drop table keys; --"]],
    ["nothing has this", []],
    ["\u0000", []],
    ["a\u0000b", []],
  ])("%j finds %j", async (asked, found) => {
    expect(await search(`name=${encodeURIComponent(asked)}`)).toEqual(found.toSorted());
    expect(await search(`name=${encodeURIComponent(asked.normalize("NFD"))}`)).toEqual(found.toSorted());
  });

  test.each(["name=", "name", "name=%20", "name=+++", "name=%09%0A%C2%A0", "name=%CC%81", ""])(
    "a blank filter (%s) does not filter",
    async (query) => {
      expect(await search(query)).toEqual(NAMES.toSorted());
    },
  );

  test("a plus in the query is a space, %2B is a plus", async () => {
    expect(await search("name=two+spaces")).toEqual(["Two  spaces\tand\u00a0more"]);
    expect(await search("name=c%2B%2B")).toEqual(["C++ & C#"]);
    expect(await search("name=c++")).not.toEqual(["C++ & C#"]);
    expect(await search("n%61me=smor")).toEqual(["Smørrebrød"]);
  });

  test("letters without percent-encoding are accepted as they are", async () => {
    const { body } = await server.raw(
      Buffer.from(`GET /api/v1/courses?name=cài HTTP/1.1\r\nhost: x\r\nconnection: close\r\nx-api-key: ${key}\r\n\r\n`),
    );
    expect(body).toContain('"total":1,"results":[{"_id":"c0"');
  });

  test("a repeated name is 400, even if both are equal or blank; an empty one is ignored", async () => {
    for (const query of ["name=a&name=b", "name=a&name=a", "name=+&name=+", "name=+&x=1&n%61me=a"]) {
      const { status, text } = await server.get(`/api/v1/courses?${query}`, { key });
      expect(status).toBe(400);
      expect(text).toBe(errorBody(400, "name must not be repeated"));
    }
    expect(await search("name=&name&x=1&n%61me=smor")).toEqual(await search("name=smor"));
  });

  test("other parameters do not filter; parameter names are case-sensitive", async () => {
    expect(await search("NAME=smor&q=x&_=123&name[]=a&=b&&")).toEqual(NAMES.toSorted());
  });

  test("lessons are not filtered by name", async () => {
    expect((await server.get("/api/v1/courses/c0/lessons?name=a&name=b", { key })).status).toBe(200);
  });
});
